package io.repave.core.store;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The port to an object store. One call is one request. An implementation never retries it, unless
 * it is a read or the retry cannot change the meaning of the outcome. Several threads may use a
 * store. A buffer that is written keeps its position and limit, so that it can be written again.
 *
 * <p>Every method throws {@link StoreException} only; its kind says what is known of the effect. A
 * read or listing after an answered write sees the write (strong consistency).
 */
public interface ObjectStore {
  /** The most keys of one {@link #delete}; S3 throttles larger pages. */
  int DELETE_PAGE = 250;

  /** Reads a whole object of at most {@code maxBytes} (more is INVALID); empty when absent. */
  Optional<StoredObject> read(Location at, long maxBytes) throws StoreException;

  /**
   * Reads {@code length} bytes of an object from offset {@code from}; empty when it is absent. An
   * object that ends before them is INVALID.
   */
  Optional<byte[]> readRange(Location at, long from, int length) throws StoreException;

  /** Size, etag and age of an object; empty when absent. */
  Optional<ListedObject> head(Location at) throws StoreException;

  /** Writes an object, and replaces an existing one. Returns its etag. */
  String put(Location at, Content content) throws StoreException;

  default String put(Location at, ByteBuffer content) throws StoreException {
    return put(at, Content.of(content));
  }

  /** Writes an object unless the key exists; then REFUSED. Atomic for concurrent callers. */
  String putIfAbsent(Location at, ByteBuffer content) throws StoreException;

  /** Replaces an object if its etag is {@code etag}; otherwise, or if absent, REFUSED. Atomic. */
  String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException;

  /**
   * One page of the keys that start with {@code folder.prefix()} and sort after the key {@code
   * after} ("" for the start), in UTF-8 order, at any depth.
   */
  ListPage list(Location folder, String after) throws StoreException;

  /** Starts a multipart upload and returns its id. The object is visible once it is completed. */
  String createUpload(Location at) throws StoreException;

  /** Uploads part {@code number} (from 1). Returns its etag. */
  String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException;

  default String uploadPart(Location at, String uploadId, int number, ByteBuffer content)
      throws StoreException {
    return uploadPart(at, uploadId, number, Content.of(content));
  }

  /**
   * Completes an upload, which makes it an object. ABSENT when the store does not know the upload:
   * it may have been completed or aborted, or never have existed. After UNKNOWN it may still
   * succeed later.
   */
  void complete(PendingUpload upload) throws StoreException;

  /** Aborts an upload; no error when it is gone. A Complete in flight may still succeed. */
  void abort(Location at, String uploadId) throws StoreException;

  /** One page of the open uploads with keys below {@code folder}; {@code next} is "" at first. */
  UploadPage listUploads(Location folder, String next) throws StoreException;

  /**
   * The same for one key. Some stores find no upload by the folder of its key, and know it only by
   * the whole key.
   */
  UploadPage listUploadsOf(Location at, String next) throws StoreException;

  /**
   * Deletes at most {@link #DELETE_PAGE} keys of one bucket, by exact key; absent keys count as
   * deleted. Returns the keys that the store did not delete. Throws when the outcome of all is
   * unknown, or INVALID when the request cannot express one of the keys; then each can be deleted
   * alone. An empty list sends no request. More keys than a page, or keys of two buckets, cause an
   * IllegalArgumentException.
   */
  List<DeleteFailure> delete(List<Location> keys) throws StoreException;
}
