package io.repave.s3;

import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One bucket through one generation of the SDK. One call is one request; what the SDK throws passes
 * through, and {@link #answer} tells what the store said. Tags have no quotes.
 *
 * <p>An answer without what S3 always sends with it (a tag, an upload id, the bucket's name) is no
 * answer: gateways put errors into a 200, and an empty listing must never be read out of one. Those
 * throw {@link UnusableAnswer}.
 */
interface Bucket {
  Optional<StoredObject> read(String key, long maxBytes) throws IOException;

  Optional<ListedObject> head(String key) throws IOException;

  /** Writes an object with these conditions, as HTTP headers. Returns its tag. */
  String put(String key, Content content, Map<String, String> conditions) throws IOException;

  ListPage list(String prefix, String after) throws IOException;

  String createUpload(String key) throws IOException;

  String uploadPart(String key, String uploadId, int number, Content content) throws IOException;

  void complete(PendingUpload upload) throws IOException;

  void abort(String key, String uploadId) throws IOException;

  UploadPage listUploads(String prefix, UploadMarker after) throws IOException;

  List<DeleteFailure> delete(List<String> keys) throws IOException;

  /** Deletes one key; absent counts as deleted. */
  void delete(String key) throws IOException;

  /** What the store itself answered, when this failure is such an answer. */
  Optional<ErrorAnswer> answer(Throwable failure);
}
