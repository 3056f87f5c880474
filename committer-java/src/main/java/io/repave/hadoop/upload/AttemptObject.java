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
import java.util.concurrent.CountDownLatch;
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
  private final CountDownLatch givenUp;
  private final Location at;

  /** {@code givenUp} is shared by the files of an attempt: see {@link #cleanUp}. */
  AttemptObject(ObjectStore store, RequestRetry retry, CountDownLatch givenUp, Location at) {
    this.store = store;
    this.retry = retry;
    this.givenUp = givenUp;
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

  /**
   * Logs failures only. Vacuum removes what is left, and the task keeps its own failure. When the
   * store gives one file no answer within the budget, the others are left to vacuum too. Otherwise
   * a task with a thousand files would wait for hours, and be tried again only then.
   */
  private void cleanUp(String what, Retry.Call<List<DeleteFailure>> request) {
    if (givenUp.getCount() == 0) {
      LOG.debug("Did not {} {}. Vacuum will do so.", what, at);
      return;
    }
    try {
      List<DeleteFailure> failures = retry.send(request, givenUp);
      failures.forEach(failure -> LOG.warn("Could not {} {}: {}", what, at, failure.reason()));
    } catch (IOException | RuntimeException e) {
      if (e instanceof StoreException answer && answer.kind() == StoreException.Kind.UNKNOWN) {
        givenUp.countDown();
      }
      LOG.warn("Could not {} {}. Vacuum will do so.", what, at, e);
    }
  }
}
