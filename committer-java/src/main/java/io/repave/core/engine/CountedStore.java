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

/** A store that counts the requests that pass through it, for a commit's report. */
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

  private ObjectStore counted(Request request) {
    counts.get(request).increment();
    return store;
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return counted(Request.GET).read(at, maxBytes);
  }

  @Override
  public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
    return counted(Request.GET).readRange(at, from, length);
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return counted(Request.HEAD).head(at);
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return counted(Request.PUT).put(at, content);
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return counted(Request.PUT).putIfAbsent(at, content);
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return counted(Request.PUT).putIfMatch(at, content, etag);
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return counted(Request.LIST).list(folder, after);
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return counted(Request.CREATE).createUpload(at);
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return counted(Request.PART).uploadPart(at, uploadId, number, content);
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    counted(Request.COMPLETE).complete(upload);
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    counted(Request.ABORT).abort(at, uploadId);
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return counted(Request.LIST_UPLOADS).listUploads(folder, next);
  }

  @Override
  public UploadPage listUploadsOf(Location at, String next) throws StoreException {
    return counted(Request.LIST_UPLOADS).listUploadsOf(at, next);
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    return counted(Request.DELETE).delete(keys);
  }
}
