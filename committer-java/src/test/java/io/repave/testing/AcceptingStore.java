package io.repave.testing;

import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;

/** A store that knows which Completes it has accepted before an abort. */
public interface AcceptingStore extends ObjectStore {
  /** The effect of a request that was under way. */
  @FunctionalInterface
  interface Landing {
    void land() throws StoreException;
  }

  /**
   * Accepts a Complete without applying it yet. If the upload is open now, a weak abort between
   * this call and the landing does not stop it.
   */
  Landing accept(PendingUpload upload);
}
