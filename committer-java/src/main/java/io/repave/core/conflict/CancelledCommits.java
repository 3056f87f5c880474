package io.repave.core.conflict;

import io.repave.core.engine.TableContext;
import io.repave.core.store.Location;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Cancellation marks of commits that may not be reserved any more. Marks are never deleted, because
 * the head's log is bounded.
 */
public final class CancelledCommits {
  private final TableContext context;

  public CancelledCommits(TableContext context) {
    this.context = context;
  }

  /**
   * Writes a mark. It stops a reservation once the head has been swapped after it. Requests: 1 PUT.
   */
  public void add(String commit) throws IOException, InterruptedException {
    context.records().put(at(commit), "{}".getBytes(StandardCharsets.UTF_8));
  }

  /** True when a commit is cancelled. Requests: 1 HEAD. */
  public boolean contains(String commit) throws IOException, InterruptedException {
    return context.records().find(at(commit)).isPresent();
  }

  private Location at(String commit) {
    return context.paths().cancelled(commit);
  }
}
