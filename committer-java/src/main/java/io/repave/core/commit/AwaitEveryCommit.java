package io.repave.core.commit;

import io.repave.core.conflict.ConcurrentCommits;
import io.repave.core.conflict.ConflictChecker;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/**
 * Waits until the commits that are unfinished in a head are finished, and finishes the dead ones. A
 * dead commit that cannot be finished is not waited for, also if one of its records is missing,
 * damaged or newer than this code.
 *
 * <p>Requests: none when no commit is unfinished; otherwise 1 GET of the head for each look, and
 * those of the commits that it finishes.
 */
public final class AwaitEveryCommit {
  private final TableContext context;
  private final ConcurrentCommits concurrent;

  public AwaitEveryCommit(Supplier<TableContext> contexts) {
    this.context = contexts.get();
    this.concurrent = new Recovery(contexts).concurrent(context, new ConflictChecker(context));
  }

  public void run() throws IOException, InterruptedException {
    VersionedHead first = context.heads().read();
    concurrent.await(first.head().map(Head::active).orElse(List.of()), first, this::waited);
  }

  private boolean waited(ActiveCommit other, Head head) throws IOException, InterruptedException {
    try {
      concurrent.waitFor(other, head);
      return true;
    } catch (CommitFailedException | InvalidConfigException | InvalidRecordException stuck) {
      return false;
    }
  }
}
