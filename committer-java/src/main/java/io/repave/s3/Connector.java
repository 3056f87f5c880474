package io.repave.s3;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.s3a.DefaultS3ClientFactory;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.fs.store.audit.AuditSpan;

/**
 * A file system and the client that it already has, so that credentials, endpoint, proxy and
 * encryption are what the user configured. Each SDK's classes are touched only where they exist.
 */
record Connector(S3AFileSystem files, Bucket bucket) {
  private static final String OPERATION = "op_repave";
  private static final String PAGED_DELETES = "fs.s3a.multiobjectdelete.enable";
  private static final String CLIENT_FACTORY = "fs.s3a.s3.client.factory.impl";
  private static final String DIRECTORY_BUCKET = "--x-s3";
  private static final String CHECKSUMS = "fs.s3a.checksum.generation";

  static Connector open(FileSystem given) throws IOException {
    FileSystem files = given;
    while (files instanceof FilterFileSystem filter) {
      files = filter.getRawFileSystem();
    }
    if (!(files instanceof S3AFileSystem connector)) {
      throw new IOException(
          "the file system of "
              + given.getUri()
              + " is "
              + files.getClass().getName()
              + ", and Repave writes through Hadoop's S3A only. Set fs."
              + given.getUri().getScheme()
              + ".impl to "
              + S3AFileSystem.class.getName()
              + ", or take this scheme out of repave.schemes.");
    }
    refuseDirectoryBuckets(connector);
    refuseChecksums(connector);
    WriteSettings settings = WriteSettings.of(connector);
    // Hadoop 3.4 moved to the SDK's version 2 and gave it this door.
    boolean isVersionTwo =
        Arrays.stream(S3AFileSystem.class.getMethods())
            .anyMatch(method -> method.getName().equals("getS3AInternals"));
    refuseWithoutCredentials(connector, isVersionTwo);
    return new Connector(
        connector,
        isVersionTwo
            ? SdkTwoBucket.open(connector, settings)
            : SdkOneBucket.open(connector, settings));
  }

  /** They list keys in no order and from no given key, and name uploads and tags differently. */
  private static void refuseDirectoryBuckets(S3AFileSystem files) throws IOException {
    if (files.getBucket().endsWith(DIRECTORY_BUCKET)) {
      throw new IOException(
          "Repave does not support the bucket "
              + files.getBucket()
              + ". "
              + StoreCheck.GENERAL_PURPOSE_BUCKET.sentence());
    }
  }

  /**
   * With this setting (Hadoop 3.4.3 and newer, off by default) the SDK adds a checksum to each
   * part. An upload of such parts is completed by naming them all, and the ledger has no room for
   * them. Better refused here than by S3 in the middle of a job.
   */
  private static void refuseChecksums(S3AFileSystem files) throws IOException {
    if (files.getConf().getBoolean(CHECKSUMS, false)) {
      throw new IOException(
          CHECKSUMS
              + " is on for "
              + files.getUri()
              + ", and Repave's uploads carry no checksums of their parts. Set fs.s3a.bucket."
              + files.getBucket()
              + ".checksum.generation=false");
    }
  }

  /**
   * Asked before the first request, where it is certain that nothing was sent. The same failure of
   * a request is unknown: a try before it may have been sent, with credentials that ended since. A
   * factory of the user's own may have other credentials than S3A's.
   */
  private static void refuseWithoutCredentials(S3AFileSystem files, boolean isVersionTwo)
      throws NoCredentials {
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
      throw new NoCredentials(files.getUri(), e);
    }
  }

  /** Whether the user says that the store knows DeleteObjects; Google's XML API does not. */
  boolean deletesInPages() {
    return files.getConf().getBoolean(PAGED_DELETES, true);
  }

  /** S3A's audit: without a span it logs the request as a stray one, or refuses it if so set. */
  AuditSpan span() throws IOException {
    return files.createSpan(OPERATION, null, null).activate();
  }
}
