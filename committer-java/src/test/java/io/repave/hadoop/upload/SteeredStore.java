package io.repave.hadoop.upload;

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
import io.repave.testing.StoreCall;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A store whose calls a test can block or fail, before or after their effect. Logs the calls. */
public final class SteeredStore implements ObjectStore {
  /** Called around each call. Its exception becomes the call's outcome. */
  public interface Steer {
    void at(StoreCall call, Location at) throws StoreException;

    Steer NOTHING = (call, at) -> {};
  }

  public final List<StoreCall> journal = new CopyOnWriteArrayList<>();
  public volatile Steer before = Steer.NOTHING;
  public volatile Steer after = Steer.NOTHING;
  private final AtomicLong sending = new AtomicLong();
  final AtomicLong mostSent = new AtomicLong();
  private final ObjectStore store;

  public SteeredStore(ObjectStore store) {
    this.store = store;
  }

  private interface Call<T> {
    T run() throws StoreException;
  }

  private <T> T steered(StoreCall call, Location at, Call<T> run) throws StoreException {
    journal.add(call);
    before.at(call, at);
    T answer = run.run();
    after.at(call, at);
    return answer;
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return steered(StoreCall.READ, at, () -> store.read(at, maxBytes));
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return steered(StoreCall.HEAD, at, () -> store.head(at));
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return steered(StoreCall.PUT, at, () -> store.put(at, content));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return steered(StoreCall.PUT_IF_ABSENT, at, () -> store.putIfAbsent(at, content));
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return steered(StoreCall.PUT_IF_MATCH, at, () -> store.putIfMatch(at, content, etag));
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return steered(StoreCall.LIST, folder, () -> store.list(folder, after));
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return steered(StoreCall.CREATE_UPLOAD, at, () -> store.createUpload(at));
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    long bytes = content.bytes();
    mostSent.accumulateAndGet(sending.addAndGet(bytes), Math::max);
    try {
      return steered(
          StoreCall.UPLOAD_PART, at, () -> store.uploadPart(at, uploadId, number, content));
    } finally {
      sending.addAndGet(-bytes);
    }
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    steered(
        StoreCall.COMPLETE,
        upload.at(),
        () -> {
          store.complete(upload);
          return null;
        });
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    steered(
        StoreCall.ABORT,
        at,
        () -> {
          store.abort(at, uploadId);
          return null;
        });
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return steered(StoreCall.LIST_UPLOADS, folder, () -> store.listUploads(folder, next));
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    return steered(StoreCall.DELETE, keys.get(0), () -> store.delete(keys));
  }
}
