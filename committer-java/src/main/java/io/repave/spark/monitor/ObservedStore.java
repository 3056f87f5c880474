package io.repave.spark.monitor;

import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts a store's requests, and those that got no usable answer (time-outs, resets, throttling):
 * the engine sends such a request again. What the SDK repeats by itself is not seen here.
 */
final class ObservedStore implements ObjectStore {
  private final ObjectStore store;
  private final LongAdder requests = new LongAdder();
  private final LongAdder unanswered = new LongAdder();

  /** One request. */
  @FunctionalInterface
  private interface Call<T> {
    T run() throws StoreException;
  }

  ObservedStore(ObjectStore store) {
    this.store = store;
  }

  long requests() {
    return requests.sum();
  }

  long unanswered() {
    return unanswered.sum();
  }

  private <T> T count(Call<T> call) throws StoreException {
    requests.increment();
    try {
      return call.run();
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.UNKNOWN) {
        unanswered.increment();
      }
      throw e;
    }
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return count(() -> store.read(at, maxBytes));
  }

  @Override
  public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
    return count(() -> store.readRange(at, from, length));
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return count(() -> store.head(at));
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return count(() -> store.put(at, content));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return count(() -> store.putIfAbsent(at, content));
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return count(() -> store.putIfMatch(at, content, etag));
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return count(() -> store.list(folder, after));
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return count(() -> store.createUpload(at));
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return count(() -> store.uploadPart(at, uploadId, number, content));
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    count(
        () -> {
          store.complete(upload);
          return null;
        });
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    count(
        () -> {
          store.abort(at, uploadId);
          return null;
        });
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return count(() -> store.listUploads(folder, next));
  }

  @Override
  public UploadPage listUploadsOf(Location at, String next) throws StoreException {
    return count(() -> store.listUploadsOf(at, next));
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    return count(() -> store.delete(keys));
  }
}
