package io.repave.core.engine;

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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A store that counts the requests that pass through it, and those that got no usable answer
 * (time-outs, resets, throttling): the engine sends such a request again. What the SDK repeats by
 * itself is not seen here.
 */
public final class CountedStore implements ObjectStore {
  /** The kinds of request, as they are priced and throttled. */
  public enum Request {
    GET,
    HEAD,
    PUT,
    LIST,
    CREATE,
    PART,
    COMPLETE,
    ABORT,
    LIST_UPLOADS,
    DELETE
  }

  private final ObjectStore store;
  private final Map<Request, LongAdder> counts = new EnumMap<>(Request.class);
  private final LongAdder unanswered = new LongAdder();

  /** One request. */
  @FunctionalInterface
  private interface Call<T> {
    T run() throws StoreException;
  }

  public CountedStore(ObjectStore store) {
    this.store = store;
    for (Request request : Request.values()) {
      counts.put(request, new LongAdder());
    }
  }

  /** The number of requests so far, by kind; kinds with no requests are left out. */
  public Map<Request, Long> counts() {
    Map<Request, Long> seen = new EnumMap<>(Request.class);
    counts.forEach(
        (request, count) -> {
          if (count.sum() > 0) {
            seen.put(request, count.sum());
          }
        });
    return seen;
  }

  public long requests() {
    return counts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  public long unanswered() {
    return unanswered.sum();
  }

  private <T> T count(Request request, Call<T> call) throws StoreException {
    counts.get(request).increment();
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
    return count(Request.GET, () -> store.read(at, maxBytes));
  }

  @Override
  public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
    return count(Request.GET, () -> store.readRange(at, from, length));
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return count(Request.HEAD, () -> store.head(at));
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return count(Request.PUT, () -> store.put(at, content));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return count(Request.PUT, () -> store.putIfAbsent(at, content));
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return count(Request.PUT, () -> store.putIfMatch(at, content, etag));
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return count(Request.LIST, () -> store.list(folder, after));
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return count(Request.CREATE, () -> store.createUpload(at));
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return count(Request.PART, () -> store.uploadPart(at, uploadId, number, content));
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    count(
        Request.COMPLETE,
        () -> {
          store.complete(upload);
          return null;
        });
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    count(
        Request.ABORT,
        () -> {
          store.abort(at, uploadId);
          return null;
        });
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return count(Request.LIST_UPLOADS, () -> store.listUploads(folder, next));
  }

  @Override
  public UploadPage listUploadsOf(Location at, String next) throws StoreException {
    return count(Request.LIST_UPLOADS, () -> store.listUploadsOf(at, next));
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    return count(Request.DELETE, () -> store.delete(keys));
  }
}
