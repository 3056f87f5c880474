package io.repave.sim;

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

/** A store that tells before and after each call: where a scheduler switches, a checker looks. */
final class HookedStore implements ObjectStore {
  /** One call. */
  @FunctionalInterface
  private interface Call<T> {
    T run() throws StoreException;
  }

  private final ObjectStore store;
  private final Runnable before;
  private final Runnable after;

  HookedStore(ObjectStore store, Runnable before, Runnable after) {
    this.store = store;
    this.before = before;
    this.after = after;
  }

  private <T> T hooked(Call<T> call) throws StoreException {
    before.run();
    try {
      return call.run();
    } finally {
      after.run();
    }
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return hooked(() -> store.read(at, maxBytes));
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return hooked(() -> store.head(at));
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return hooked(() -> store.put(at, content));
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return hooked(() -> store.putIfAbsent(at, content));
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return hooked(() -> store.putIfMatch(at, content, etag));
  }

  @Override
  public ListPage list(Location folder, String from) throws StoreException {
    return hooked(() -> store.list(folder, from));
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return hooked(() -> store.createUpload(at));
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return hooked(() -> store.uploadPart(at, uploadId, number, content));
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    hooked(
        () -> {
          store.complete(upload);
          return null;
        });
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    hooked(
        () -> {
          store.abort(at, uploadId);
          return null;
        });
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return hooked(() -> store.listUploads(folder, next));
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    return hooked(() -> store.delete(keys));
  }
}
