package io.repave.testing;

import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;

/** A store that knows which Completes it has accepted, and so what an abort came too late for. */
public interface AcceptingStore extends ObjectStore {
  /** What happens when a request that was under way reaches its effect. */
  @FunctionalInterface
  interface Landing {
    void land() throws StoreException;
  }

  /**
   * Takes a Complete in without applying it yet. If the upload is open now, a weak abort that comes
   * between this call and the landing does not stop it.
   */
  Landing accept(PendingUpload upload);
}
