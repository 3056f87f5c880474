package io.repave.testing;

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

/**
 * Passes every call on to another store. A test overrides the calls whose answers it changes, or
 * {@link #intercept} to act before and after every call. {@link #before} is the short form for a
 * test that only acts, or fails, before calls.
 */
public class InterceptingStore implements ObjectStore {
  /** Runs before a call. What it throws is the answer to that call. */
  @FunctionalInterface
  public interface Hook {
    /** {@code at} is the folder of a listing, and the first key of a delete. */
    void at(StoreCall call, Location at) throws StoreException;
  }

  /** The call itself. */
  @FunctionalInterface
  protected interface Call<T> {
    T run() throws StoreException;
  }

  /** A call that has no result. */
  @FunctionalInterface
  private interface Action {
    void run() throws StoreException;
  }

  private final ObjectStore store;

  public InterceptingStore(ObjectStore store) {
    this.store = store;
  }

  /** A store that runs the hook before each call. */
  public static InterceptingStore before(ObjectStore store, Hook hook) {
    return new InterceptingStore(store) {
      @Override
      protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
        hook.at(call, at);
        return run.run();
      }
    };
  }

  /** Every call of this store comes through here. */
  protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
    return run.run();
  }

  private void interceptAction(StoreCall call, Location at, Action run) throws StoreException {
    intercept(
        call,
        at,
        () -> {
          run.run();
          return null;
        });
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return intercept(StoreCall.READ, at, () -> store.read(at, maxBytes));
  }

  @Override
  public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
    return intercept(StoreCall.READ, at, () -> store.readRange(at, from, length));
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return intercept(StoreCall.HEAD, at, () -> store.head(at));
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return intercept(StoreCall.PUT, at, () -> store.put(at, content));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return intercept(StoreCall.PUT_IF_ABSENT, at, () -> store.putIfAbsent(at, content));
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return intercept(StoreCall.PUT_IF_MATCH, at, () -> store.putIfMatch(at, content, etag));
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return intercept(StoreCall.LIST, folder, () -> store.list(folder, after));
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return intercept(StoreCall.CREATE_UPLOAD, at, () -> store.createUpload(at));
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return intercept(
        StoreCall.UPLOAD_PART, at, () -> store.uploadPart(at, uploadId, number, content));
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    interceptAction(StoreCall.COMPLETE, upload.at(), () -> store.complete(upload));
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    interceptAction(StoreCall.ABORT, at, () -> store.abort(at, uploadId));
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return intercept(StoreCall.LIST_UPLOADS, folder, () -> store.listUploads(folder, next));
  }

  @Override
  public UploadPage listUploadsOf(Location at, String next) throws StoreException {
    return intercept(StoreCall.LIST_UPLOADS, at, () -> store.listUploadsOf(at, next));
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    Location first = keys.isEmpty() ? null : keys.get(0);
    return intercept(StoreCall.DELETE, first, () -> store.delete(keys));
  }
}
