package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.store.Location;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Marks of commits that may not be reserved any more. They stay for ever; the head's log forgets.
 */
public final class CancelledCommits {
  private final TableContext context;

  public CancelledCommits(TableContext context) {
    this.context = context;
  }

  /** A mark stops a reservation once the head has been swapped after it. */
  public void add(String commit) throws IOException, InterruptedException {
    byte[] nobody = "{}".getBytes(StandardCharsets.UTF_8);
    context.retry().known(() -> context.store().put(at(commit), ByteBuffer.wrap(nobody)));
  }

  boolean holds(String commit) throws IOException, InterruptedException {
    return context.retry().known(() -> context.store().head(at(commit))).isPresent();
  }

  private Location at(String commit) {
    return context.paths().refused(commit);
  }
}
