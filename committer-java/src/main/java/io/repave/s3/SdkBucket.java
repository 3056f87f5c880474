package io.repave.s3;

import io.repave.core.store.Content;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One bucket through one generation of the SDK. One call is one request, and its result is the
 * response as it came: members that S3 always sends may be null. Exceptions of the SDK pass
 * through. {@link Bucket} decides what a response means.
 */
interface SdkBucket {
  /** An object that is being read. {@code abort} drops the connection before the end. */
  record Body(String etag, InputStream content, Runnable abort) {}

  /** One object of a listing, or the response to a HEAD. */
  record ObjectEntry(String key, Long bytes, String etag, long modifiedMillis, long sentMillis) {
    /** Without the time at which the response was sent. */
    ObjectEntry(String key, Long bytes, String etag, long modifiedMillis) {
      this(key, bytes, etag, modifiedMillis, 0);
    }
  }

  /** A write that succeeded: the object's tag, and whether the SDK had sent the request before. */
  record Written(String etag, boolean isRepeated) {}

  /** One page of a listing. */
  record ListResponse(
      String bucket, List<ObjectEntry> objects, boolean isTruncated, String nextToken) {}

  /** One page of open uploads. */
  record UploadsResponse(
      String bucket,
      List<OpenUpload> uploads,
      boolean isTruncated,
      String nextKey,
      String nextUploadId) {}

  Body get(String key, Map<String, String> headers);

  /** The bytes of an object from {@code from} to {@code to}, inclusive. */
  Body getRange(String key, long from, long to, Map<String, String> headers);

  ObjectEntry head(String key, Map<String, String> headers);

  /** Writes an object. Returns its tag. */
  String put(String key, Content content, Map<String, String> headers);

  /**
   * The same for an object that has conditions. Throws {@link RepeatedRequestException} for a
   * request that the SDK sent more than once: its last answer does not tell what an earlier try
   * did.
   */
  Written putOnCondition(String key, Content content, Map<String, String> headers);

  /** {@code startAfter} and {@code token} are null for none. */
  ListResponse list(String prefix, String startAfter, String token);

  /** Returns the upload id. */
  String createUpload(String key, Map<String, String> headers);

  /** Returns the part's tag. */
  String uploadPart(
      String key, String uploadId, int number, Content content, Map<String, String> headers);

  /** Returns the object's tag. */
  String complete(PendingUpload upload, Map<String, String> headers);

  void abort(String key, String uploadId);

  /** {@code keyMarker} and {@code uploadIdMarker} are null for none. */
  UploadsResponse listUploads(String prefix, String keyMarker, String uploadIdMarker);

  DeleteResponse delete(List<String> keys);

  void delete(String key);

  /** The error response of the store that this exception stands for, if any. */
  Optional<ErrorResponse> errorOf(Throwable failure);

  /**
   * True for the error response of another service, such as STS when it is asked for credentials.
   */
  boolean isFromOtherService(Throwable failure);
}
