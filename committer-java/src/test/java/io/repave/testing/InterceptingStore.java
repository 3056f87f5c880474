package io.repave.testing;

import io.repave.core.engine.CountedStore.Request;
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
 * {@link #before} to look at all of them, or to fail some.
 */
public class InterceptingStore implements ObjectStore {
  private final ObjectStore store;

  public InterceptingStore(ObjectStore store) {
    this.store = store;
  }

  /** Happens before each call; {@code at} is the first key of a delete. */
  protected void before(Request request, Location at) throws StoreException {}

  private ObjectStore after(Request request, Location at) throws StoreException {
    before(request, at);
    return store;
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return after(Request.GET, at).read(at, maxBytes);
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return after(Request.HEAD, at).head(at);
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return after(Request.PUT, at).put(at, content);
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return after(Request.PUT, at).putIfAbsent(at, content);
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return after(Request.PUT, at).putIfMatch(at, content, etag);
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return after(Request.LIST, folder).list(folder, after);
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return after(Request.CREATE, at).createUpload(at);
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return after(Request.PART, at).uploadPart(at, uploadId, number, content);
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    after(Request.COMPLETE, upload.at()).complete(upload);
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    after(Request.ABORT, at).abort(at, uploadId);
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return after(Request.LIST_UPLOADS, folder).listUploads(folder, next);
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    return keys.isEmpty() ? List.of() : after(Request.DELETE, keys.get(0)).delete(keys);
  }
}
