package io.repave.s3;

import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import org.apache.hadoop.fs.s3a.S3AFileSystem;

/**
 * The errors of the store. Each names the problem, its cause and, where there is one, the remedy.
 */
final class S3Errors {
  /** What to do, by S3's error code; {@code _bucket.py} has the same for Python. */
  private static final Map<String, String> REMEDIES =
      Map.of(
          "NoSuchBucket", "Check the bucket's name and the endpoint",
          "InvalidAccessKeyId",
              "The store does not know this key: check the credentials and the endpoint",
          "SignatureDoesNotMatch", "Check the secret key: it does not belong to the access key",
          "ExpiredToken", "The session token has expired: log in again",
          "InvalidObjectState",
              "The object is in an archive class: restore it, and take the table out of the"
                  + " lifecycle rule that moved it there",
          "RequestTimeTooSkewed", "Set the clock of this machine, for example by NTP",
          "PermanentRedirect", "Set fs.s3a.endpoint.region to the bucket's region",
          "AuthorizationHeaderMalformed", "Set fs.s3a.endpoint.region to the bucket's region");

  private S3Errors() {}

  // Before any request

  static IOException notS3a(URI uri, Class<?> found) {
    return new IOException(
        "the file system of "
            + uri
            + " is "
            + found.getName()
            + ", but Repave writes only through Hadoop's S3A. Set fs."
            + uri.getScheme()
            + ".impl to "
            + S3AFileSystem.class.getName()
            + ", or take this scheme out of repave.schemes.");
  }

  static IOException unsupportedBucket(String bucket) {
    return new IOException(
        "Repave does not support the bucket "
            + bucket
            + ". "
            + StoreCheck.GENERAL_PURPOSE_BUCKET.sentence());
  }

  static IOException unknownConnector(Exception cause) {
    return new IOException(
        "this release of Hadoop's S3A connector does not give access to its S3 client. Use Hadoop"
            + " 3.3.1 or newer.",
        cause);
  }

  static IOException partChecksums(String setting, URI uri, String bucket) {
    return new IOException(
        "fs.s3a."
            + setting
            + " is on for "
            + uri
            + ", so the SDK adds a checksum to each part, but a commit does not store them, and S3"
            + " would require them to complete an upload. Set fs.s3a.bucket."
            + bucket
            + "."
            + setting
            + "=false");
  }

  static IOException clientSideEncryption(String method) {
    return new IOException(
        "fs.s3a.encryption.algorithm is "
            + method
            + ", but another process cannot complete an upload that the client encrypts. Use"
            + " SSE-S3, SSE-KMS, DSSE-KMS or SSE-C for Repave's tables.");
  }

  /** Without a cause: its message quotes the key. */
  static IOException customerKeyNotBase64() {
    return new IOException(
        "fs.s3a.encryption.key is not a Base64 text, which SSE-C requires. Set it to the Base64 form"
            + " of the 256-bit key");
  }

  static IOException unreadableEncryptionContext(Exception cause) {
    return new IOException(
        "fs.s3a.encryption.context cannot be read. Set it to pairs such as team=data, department=x",
        cause);
  }

  static StoreException keyTooLong(String call, int bytes, int bytesMax) {
    return new StoreException(
        Kind.INVALID,
        call
            + " was not sent: the key has "
            + bytes
            + " bytes, and S3 allows "
            + bytesMax
            + ". Use a shorter table path or shorter partition values");
  }

  /** Nothing was sent, and another try does not help. */
  static StoreException unsent(String call, Exception failure) {
    return new StoreException(
        failure instanceof MissingCredentialsException ? Kind.DENIED : Kind.INVALID,
        call + " could not be sent: " + Redaction.of(failure.getMessage()),
        RedactedException.of(failure));
  }

  static StoreException uploadsOff(String call, String bucket, Exception failure) {
    return new StoreException(
        Kind.INVALID,
        call
            + " was not sent: fs.s3a.multipart.uploads.enabled is off for s3a://"
            + bucket
            + ", but Repave uploads files as multipart uploads. Set fs.s3a.bucket."
            + bucket
            + ".multipart.uploads.enabled=true",
        RedactedException.of(failure));
  }

  /** Nothing was sent. The next try has another file system. */
  static StoreException noSpan(String call, Exception failure) {
    return new StoreException(
            Kind.UNKNOWN,
            call
                + " was not sent, because S3A opened no audit span for it: "
                + Redaction.of(failure.getMessage())
                + ". Check that the program does not close the file system while a job uses it",
            RedactedException.of(failure))
        .unapplied();
  }

  // After a request

  static StoreException responded(Kind kind, String call, ErrorResponse error, Throwable failure) {
    String code = error.code().isEmpty() ? "" : " " + Redaction.of(error.code());
    return new StoreException(
        kind,
        call
            + " answered "
            + error.status()
            + code
            + ": "
            + Redaction.of(failure.getMessage())
            + remedy(kind, error),
        RedactedException.of(failure));
  }

  private static String remedy(Kind kind, ErrorResponse error) {
    String remedy = REMEDIES.getOrDefault(error.code(), remedyOfOther(kind, error.status()));
    return remedy.isEmpty() ? "" : ". " + remedy;
  }

  private static String remedyOfOther(Kind kind, int status) {
    if (kind == Kind.DENIED) {
      return "`repave doctor` tests which permissions are missing";
    }
    return status >= 300 && status < 400
        ? "The endpoint redirects to another address, perhaps to https:// or to the bucket's region:"
            + " check fs.s3a.endpoint and fs.s3a.endpoint.region"
        : "";
  }

  static StoreException noUsableResponse(String call, Throwable failure) {
    return new StoreException(
        Kind.UNKNOWN,
        call
            + " got no usable answer, so it is not known whether it was applied: "
            + Redaction.of(failure.getMessage())
            + ". Check the endpoint and the network",
        RedactedException.of(failure));
  }

  /** Of this try nothing was sent, but the SDK may have sent an earlier one. */
  static StoreException noCredentials(String call, Throwable failure) {
    return new StoreException(
        Kind.UNKNOWN,
        call
            + " could not be signed, because S3A got no credentials: "
            + Redaction.of(failure.getMessage())
            + ". Check fs.s3a.aws.credentials.provider, and the service that gives the credentials",
        RedactedException.of(failure));
  }

  static StoreException objectTooLarge(String bucket, String key, long bytesMax) {
    return new StoreException(
        Kind.INVALID,
        uri(bucket, key)
            + " has more than "
            + bytesMax
            + " bytes, so Repave did not write it. Nothing was changed");
  }

  static StoreException wrongRange(String bucket, String key, long from, int asked, int sent) {
    return new StoreException(
        Kind.INVALID,
        uri(bucket, key)
            + " was asked for "
            + asked
            + " bytes from byte "
            + from
            + ", and the response had "
            + (sent > asked ? "more" : sent)
            + ". The object has another size than its listing or record says, or the store ignores"
            + " the Range header. If another program has replaced the file, restore it, or run"
            + " `repave adopt` on a listing table");
  }

  static StoreException exists(String key) {
    return new StoreException(Kind.REFUSED, key + " exists, so it was not written");
  }

  static StoreException changed(String key) {
    return new StoreException(
        Kind.REFUSED, key + " has changed since it was read, so it was not written");
  }

  static StoreException repeatedWrite(String key) {
    return new StoreException(
        Kind.UNKNOWN,
        key + " was written by a repeated request, and the first one may still be applied");
  }

  static StoreException repeatedWrite(String key, RepeatedRequestException failure) {
    return new StoreException(
        Kind.UNKNOWN,
        key
            + " was not written by the last of several requests, and the first one may still be"
            + " applied: "
            + Redaction.of(failure.getMessage()),
        RedactedException.of(failure));
  }

  // What a store cannot do

  static StoreException noConditionalWrites(String bucket, String missing) {
    return new StoreException(
        Kind.INVALID,
        "The store of the bucket "
            + bucket
            + " does not support atomic conditional writes, so two jobs could destroy each other's"
            + " tables. Nothing was written. "
            + missing
            + " Use another store or, if no two jobs ever write to a table at the same time, set"
            + " repave.single.writer=true.");
  }

  static StoreException unreliableListings(String bucket, String missing) {
    return new StoreException(
        Kind.INVALID,
        "The store of the bucket "
            + bucket
            + " does not list keys correctly, so an overwrite could miss old files. Nothing was"
            + " written. "
            + missing
            + " Use another store.");
  }

  static StoreException probeFailed(Exception cause) {
    return new StoreException(
            Kind.UNKNOWN,
            "The store could not be tested before the first write: "
                + Redaction.of(cause.getMessage())
                + ". Nothing was written. Fix the cause and run the job again",
            cause)
        .unapplied();
  }

  static StoreException probeInterrupted(InterruptedException cause) {
    return new StoreException(
            Kind.UNKNOWN,
            "The process was interrupted while it tested the store. Nothing was written.",
            cause)
        .unapplied();
  }

  private static String uri(String bucket, String key) {
    return "s3://" + bucket + "/" + key;
  }
}
