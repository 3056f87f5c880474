package io.repave.sim;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Keeps back what a vacuum writes to the head until it has deleted everything. */
final class DeferredWatermark extends InterceptingStore {
  private final Location at;
  private Head kept;
  private boolean passes;

  DeferredWatermark(ObjectStore store, Location at) {
    super(store);
    this.at = at;
  }

  @Override
  public String putIfMatch(Location to, ByteBuffer content, String etag) throws StoreException {
    if (passes || !to.equals(at)) {
      return super.putIfMatch(to, content, etag);
    }
    try {
      kept = HeadJson.read(content.array(), "head");
    } catch (InvalidRecordException e) {
      throw new IllegalStateException(e);
    }
    return etag;
  }

  /** Moves the watermarks after all. */
  void write(TableContext context) throws IOException, InterruptedException {
    if (kept == null) {
      return;
    }
    Head meant = kept;
    passes = true;
    context.heads().update(context.heads().read(), now -> now.map(head -> moved(head, meant)));
  }

  private static Head moved(Head head, Head meant) {
    return head.change()
        .historyFrom(Math.max(head.historyFrom(), meant.historyFrom()))
        .oldestVersion(Math.max(head.oldestVersion(), meant.oldestVersion()))
        .vacuumedVersion(Math.max(head.vacuumedVersion(), meant.vacuumedVersion()))
        .fence(meant.fence())
        .done();
  }
}
