package io.repave.s3;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.s3a.Constants;
import org.apache.hadoop.fs.s3a.DefaultS3ClientFactory;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.store.audit.AuditSpan;

/**
 * A file system and its own S3 client, so that credentials, endpoint, proxy and encryption are as
 * the user configured them. The classes of an SDK are loaded only where that SDK exists.
 */
record Connector(S3AFileSystem files, Bucket bucket, AuditSpan span) {
  private static final String OPERATION = "op_repave";
  private static final String PAGED_DELETES = "fs.s3a.multiobjectdelete.enable";
  private static final String CLIENT_FACTORY = "fs.s3a.s3.client.factory.impl";
  private static final String DIRECTORY_BUCKET = "--x-s3";
  private static final String CHECKSUMS = "checksum.generation";
  private static final String VALIDATION = "checksum.validation";
  private static final String NEW_CHECKSUMS =
      "software.amazon.awssdk.core.checksums.RequestChecksumCalculation";

  static Connector open(FileSystem given) throws IOException {
    FileSystem files = given;
    while (files instanceof FilterFileSystem filter) {
      files = filter.getRawFileSystem();
    }
    if (!(files instanceof S3AFileSystem connector)) {
      throw S3Errors.notS3a(given.getUri(), files.getClass());
    }
    refuseDirectoryBuckets(connector);
    refuseChecksums(connector);
    WriteSettings settings = WriteSettings.of(connector);
    // Hadoop 3.4 moved to version 2 of the SDK, and added this method.
    boolean isVersionTwo =
        Arrays.stream(S3AFileSystem.class.getMethods())
            .anyMatch(method -> method.getName().equals("getS3AInternals"));
    refuseWithoutCredentials(connector, isVersionTwo);
    SdkBucket sdk =
        isVersionTwo
            ? SdkTwoBucket.open(connector, Duration.ofMillis(settings.partTimeoutMillis()))
            : SdkOneBucket.open(connector);
    // For a bucket with an access point, getBucket() is the ARN of the point.
    String name = connector.getUri().getAuthority();
    return new Connector(connector, new Bucket(name, sdk, settings), newSpan(connector));
  }

  /** They list keys in no order and from no given key, and name uploads and tags differently. */
  private static void refuseDirectoryBuckets(S3AFileSystem files) throws IOException {
    if (files.getBucket().endsWith(DIRECTORY_BUCKET)) {
      throw S3Errors.unsupportedBucket(files.getBucket());
    }
  }

  /**
   * With {@code checksum.generation} (Hadoop 3.4.3 and newer, off by default) the SDK adds a
   * checksum to each part. To complete such an upload, a request must contain all checksums, which
   * the ledger does not record. It is refused here, before S3 refuses it in the middle of a job.
   */
  private static void refuseChecksums(S3AFileSystem files) throws IOException {
    List<String> settings =
        validationAddsChecksums() ? List.of(CHECKSUMS, VALIDATION) : List.of(CHECKSUMS);
    for (String setting : settings) {
      if (files.getConf().getBoolean("fs.s3a." + setting, false)) {
        throw S3Errors.partChecksums(setting, files.getUri(), files.getBucket());
      }
    }
  }

  /**
   * Whether the validation of downloads adds checksums to uploads too. It does so from SDK 2.30 on,
   * which another jar may bring to an older S3A. A newer S3A has a setting for each.
   */
  private static boolean validationAddsChecksums() {
    boolean hasSetting =
        Arrays.stream(Constants.class.getFields())
            .anyMatch(field -> field.getName().equals("CHECKSUM_GENERATION"));
    try {
      Class.forName(NEW_CHECKSUMS, false, S3AFileSystem.class.getClassLoader());
      return !hasSetting;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * Checked before the first request, when nothing can have been sent. If a request fails like
   * this, its outcome is unknown: an earlier try may have been sent with credentials that have
   * since expired. A client factory of the user may use other credentials than S3A's.
   */
  private static void refuseWithoutCredentials(S3AFileSystem files, boolean isVersionTwo)
      throws MissingCredentialsException {
    String factory = files.getConf().getTrimmed(CLIENT_FACTORY, "");
    if (!factory.isEmpty() && !factory.equals(DefaultS3ClientFactory.class.getName())) {
      return;
    }
    try {
      if (isVersionTwo) {
        SdkTwoBucket.findCredentials(files);
      } else {
        SdkOneBucket.findCredentials(files);
      }
    } catch (RuntimeException e) {
      throw new MissingCredentialsException(files.getUri(), e);
    }
  }

  /** Whether the store supports DeleteObjects, as configured. Google's XML API does not. */
  boolean deletesInPages() {
    return files.getConf().getBoolean(PAGED_DELETES, true);
  }

  /**
   * The span of S3A's audit for most requests. Without one, S3A logs a request as unaudited, or
   * refuses it. A new span for each request would cost a tenth of the CPU time of the request.
   */
  AuditSpan sharedSpan() {
    return span.activate();
  }

  /** A span for one request, for what the auditor notes in a span must not be in later requests. */
  AuditSpan newSpan() throws IOException {
    return newSpan(files).activate();
  }

  private static AuditSpan newSpan(S3AFileSystem files) throws IOException {
    return files.createSpan(OPERATION, null, null);
  }
}
