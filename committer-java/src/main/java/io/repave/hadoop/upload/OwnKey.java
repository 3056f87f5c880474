package io.repave.hadoop.upload;

import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may be done with a key that one attempt alone knows. An object there can only be this
 * attempt's, so finding it proves that an unanswered request was applied.
 */
final class OwnKey {
  private static final Logger LOG = LoggerFactory.getLogger(OwnKey.class);

  private final ObjectStore store;
  private final Retry retry;
  private final Location at;

  OwnKey(ObjectStore store, Retry retry, Location at) {
    this.store = store;
    this.retry = retry;
    this.at = at;
  }

  /** One try to complete; an object of the right size counts as the answer that got lost. */
  void complete(PendingUpload upload) throws StoreException {
    try {
      store.complete(upload);
    } catch (StoreException e) {
      boolean doubtful =
          e.kind() == StoreException.Kind.UNKNOWN || e.kind() == StoreException.Kind.ABSENT;
      Optional<ListedObject> found = doubtful ? store.head(at) : Optional.empty();
      if (found.isEmpty() || found.get().bytes() != upload.bytes()) {
        throw e;
      }
    }
  }

  void abort(String uploadId) {
    tidy(
        "abort the upload",
        () -> {
          store.abort(at, uploadId);
          return List.of();
        });
  }

  void delete() {
    tidy("delete the unpublished file", () -> store.delete(List.of(at)));
  }

  /** A leftover costs storage, not rows: vacuum finds it, so the task's own failure stays first. */
  private void tidy(String what, Retry.Request<List<DeleteFailure>> request) {
    try {
      List<DeleteFailure> failures = retry.send(request);
      failures.forEach(failure -> LOG.warn("Could not {} {}: {}", what, at, failure.reason()));
    } catch (IOException | RuntimeException e) {
      LOG.warn("Could not {} {}; vacuum will.", what, at, e);
    }
  }
}
