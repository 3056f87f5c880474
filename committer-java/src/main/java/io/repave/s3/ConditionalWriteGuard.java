package io.repave.s3;

import io.repave.core.record.TablePaths;
import io.repave.core.store.Content;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * A store for writers that tests the real store before a table's first commit, when a writer looks
 * for the head and finds none. A table with a head has passed the test, so jobs on it send no
 * additional requests. A bucket that passes is tested once per JVM.
 */
final class ConditionalWriteGuard implements ObjectStore {
  /**
   * What this JVM has found to be safe, by endpoint and bucket: many new tables are one test. A
   * store that is refused is tested again, because somebody may have repaired it.
   */
  private static final Set<String> SAFE = ConcurrentHashMap.newKeySet();

  private final S3ObjectStore store;
  private final Trial trial;
  private final Supplier<ParallelRunner> racers;

  ConditionalWriteGuard(S3ObjectStore store, Trial trial, Supplier<ParallelRunner> racers) {
    this.store = store;
    this.trial = trial;
    this.racers = racers;
  }

  /** What the test covers. */
  enum Trial {
    /** Everything that commits require. */
    FOR_MANY_WRITERS,
    /** Everything but conditional writes. */
    FOR_A_SINGLE_WRITER
  }

  @Override
  public Optional<StoredObject> read(Location at, long maxBytes) throws StoreException {
    Optional<StoredObject> found = store.read(at, maxBytes);
    if (found.isEmpty()) {
      guard(at);
    }
    return found;
  }

  @Override
  public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
    guard(at);
    return store.putIfAbsent(at, content);
  }

  private void guard(Location at) throws StoreException {
    if (TablePaths.ofHead(at).isEmpty()) {
      return;
    }
    String place = store.endpoint(at) + " " + at.bucket() + " " + trial;
    if (SAFE.contains(place)) {
      return;
    }
    Capabilities found = probe(at);
    if (!found.isSafe()) {
      throw unsafe(at.bucket(), found);
    }
    SAFE.add(place);
  }

  private static StoreException unsafe(String bucket, Capabilities seen) {
    String missing = String.join(" ", seen.missing());
    return seen.keepsConditions()
        ? S3Errors.unreliableListings(bucket, missing)
        : S3Errors.noConditionalWrites(bucket, missing);
  }

  private Capabilities probe(Location head) throws StoreException {
    Location records = head.parent();
    try {
      CapabilityProbe probe = new CapabilityProbe(store, records, racers.get());
      return trial == Trial.FOR_MANY_WRITERS ? probe.run() : probe.runWithoutConditions();
    } catch (StoreException e) {
      throw e;
    } catch (IOException e) {
      throw S3Errors.probeFailed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw S3Errors.probeInterrupted(e);
    }
  }

  @Override
  public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
    return store.readRange(at, from, length);
  }

  @Override
  public Optional<ListedObject> head(Location at) throws StoreException {
    return store.head(at);
  }

  @Override
  public String put(Location at, Content content) throws StoreException {
    return store.put(at, content);
  }

  @Override
  public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
    return store.putIfMatch(at, content, etag);
  }

  @Override
  public ListPage list(Location folder, String after) throws StoreException {
    return store.list(folder, after);
  }

  @Override
  public String createUpload(Location at) throws StoreException {
    return store.createUpload(at);
  }

  @Override
  public String uploadPart(Location at, String uploadId, int number, Content content)
      throws StoreException {
    return store.uploadPart(at, uploadId, number, content);
  }

  @Override
  public void complete(PendingUpload upload) throws StoreException {
    store.complete(upload);
  }

  @Override
  public void abort(Location at, String uploadId) throws StoreException {
    store.abort(at, uploadId);
  }

  @Override
  public UploadPage listUploads(Location folder, String next) throws StoreException {
    return store.listUploads(folder, next);
  }

  @Override
  public UploadPage listUploadsOf(Location at, String next) throws StoreException {
    return store.listUploadsOf(at, next);
  }

  @Override
  public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
    return store.delete(keys);
  }
}
