package io.repave.hadoop.upload;

import io.repave.core.engine.Retry;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.hadoop.runtime.RequestRetry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An object whose key only one task attempt uses. If the object exists, this attempt wrote it, so a
 * request without a usable response was applied.
 */
final class AttemptObject {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptObject.class);

  private final ObjectStore store;
  private final RequestRetry retry;
  private final Location at;

  AttemptObject(ObjectStore store, RequestRetry retry, Location at) {
    this.store = store;
    this.retry = retry;
    this.at = at;
  }

  /** Tries once to complete. An object of the right size shows that the upload was completed. */
  void complete(PendingUpload upload) throws StoreException {
    try {
      store.complete(upload);
    } catch (StoreException e) {
      boolean isDoubtful =
          e.kind() == StoreException.Kind.UNKNOWN || e.kind() == StoreException.Kind.ABSENT;
      Optional<ListedObject> found = isDoubtful ? store.head(at) : Optional.empty();
      if (found.isEmpty() || found.get().bytes() != upload.bytes()) {
        throw e;
      }
    }
  }

  void abort(String uploadId) {
    cleanUp(
        "abort the upload",
        () -> {
          store.abort(at, uploadId);
          return List.of();
        });
  }

  void delete() {
    cleanUp("delete the unpublished file", () -> store.delete(List.of(at)));
  }

  /** Logs failures only. Vacuum removes what is left, and the task keeps its own failure. */
  private void cleanUp(String what, Retry.Call<List<DeleteFailure>> request) {
    try {
      List<DeleteFailure> failures = retry.send(request);
      failures.forEach(failure -> LOG.warn("Could not {} {}: {}", what, at, failure.reason()));
    } catch (IOException | RuntimeException e) {
      LOG.warn("Could not {} {}. Vacuum will do so.", what, at, e);
    }
  }
}
