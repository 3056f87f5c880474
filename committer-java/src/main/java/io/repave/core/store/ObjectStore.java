package io.repave.core.store;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The port: what the protocol asks of a store. One call is one request, never retried inside an
 * implementation unless the request is a read or the retry cannot change the outcome's meaning.
 * Callers may use it from many threads. A buffer that is written keeps its position and limit, so
 * that the same one can be written again.
 *
 * <p>Every method throws {@link StoreException} only; its kind says what is known of the effect.
 * Reads after a write that was answered see it (strong consistency), listings too.
 */
public interface ObjectStore {
  /** The most keys that one {@link #delete} takes: larger pages throttle themselves on S3. */
  int DELETE_PAGE = 250;

  /** Reads a whole object of at most {@code maxBytes} (more is INVALID); empty when absent. */
  Optional<StoredObject> read(Location at, long maxBytes) throws StoreException;

  /** Size and tag of an object; empty when absent. */
  Optional<ListedObject> head(Location at) throws StoreException;

  /** Writes an object, replacing what is there. Returns its tag. */
  String put(Location at, Content content) throws StoreException;

  default String put(Location at, ByteBuffer content) throws StoreException {
    return put(at, Content.of(content));
  }

  /** Writes an object unless the key exists: then REFUSED. Atomic among racing callers. */
  String putIfAbsent(Location at, ByteBuffer content) throws StoreException;

  /** Writes an object if its tag is {@code etag}; otherwise, or when absent, REFUSED. Atomic. */
  String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException;

  /**
   * One page of the keys that start with {@code folder.prefix()} and come after the key {@code
   * after} ("" for the start), in UTF-8 order, however deep.
   */
  ListPage list(Location folder, String after) throws StoreException;

  /** Starts a multipart upload and returns its id. Nothing is visible before it is completed. */
  String createUpload(Location at) throws StoreException;

  /** Uploads part {@code number} (from 1). Returns its tag. */
  String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException;

  default String uploadPart(Location at, String uploadId, int number, ByteBuffer content)
      throws StoreException {
    return uploadPart(at, uploadId, number, Content.of(content));
  }

  /**
   * Makes the upload an object. ABSENT when the store does not know the upload: it may have been
   * completed, aborted, or never been there. UNKNOWN may land later.
   */
  void complete(PendingUpload upload) throws StoreException;

  /** Gives the upload up; not an error when it is gone. No fence: a Complete may still land. */
  void abort(Location at, String uploadId) throws StoreException;

  /** One page of the open uploads whose keys start with {@code folder.prefix()}; "" first. */
  UploadPage listUploads(Location folder, String next) throws StoreException;

  /**
   * Deletes at most {@link #DELETE_PAGE} keys of one bucket, each exactly; absent keys count as
   * deleted. Returns the keys that the store refused; throws when the outcome of all is unknown, or
   * INVALID when the request cannot express one of the keys: alone, each can be deleted. An empty
   * list is no request; more keys than a page, or keys of two buckets, are the caller's mistake:
   * IllegalArgumentException.
   */
  List<DeleteFailure> delete(List<Location> keys) throws StoreException;
}
