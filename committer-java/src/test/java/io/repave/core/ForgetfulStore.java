package io.repave.core;

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
import io.repave.testing.MemoryObjectStore;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** Keeps what is read back and nothing else: for measuring what the engine itself keeps. */
final class ForgetfulStore implements ObjectStore {
  /** The head is swapped, and plans are read back to delete what they name. */
  private static final Predicate<Location> KEPT =
      at -> at.key().endsWith("head.json") || at.key().contains("/manifest");

  private final MemoryObjectStore heads = new MemoryObjectStore();
  private final AtomicLong completed = new AtomicLong();

  long completed() {
    return completed.get();
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    return heads.read(at, maxBytes);
  }

  @Override
  public Optional<ListedObject> head(Location at) {
    return heads.head(at);
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return KEPT.test(at) ? heads.put(at, content) : "forgotten";
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    return KEPT.test(at) ? heads.putIfAbsent(at, content) : "forgotten";
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return heads.putIfMatch(at, content, etag);
  }

  @Override
  public ListPage list(Location folder, String after) {
    return new ListPage(List.of(), false, after);
  }

  @Override
  public String createUpload(Location at) {
    throw new UnsupportedOperationException("nobody uploads here");
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content) {
    throw new UnsupportedOperationException("nobody uploads here");
  }

  @Override
  public void complete(PendingUpload upload) {
    completed.incrementAndGet();
  }

  @Override
  public void abort(Location at, String uploadId) {
    throw new UnsupportedOperationException("nobody aborts here");
  }

  @Override
  public UploadPage listUploads(Location folder, String next) {
    return new UploadPage(List.of(), "");
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) {
    return List.of();
  }
}
