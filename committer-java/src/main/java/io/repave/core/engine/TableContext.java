package io.repave.core.engine;

import io.repave.core.error.CommitErrors;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Clock;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import java.io.IOException;

/** What every step works with: the ports, the table's paths, the settings, the meter. */
public record TableContext(Ports ports, TablePaths paths, EngineSettings settings, Meter meter) {

  public ObjectStore store() {
    return ports.store();
  }

  public ParallelRunner runner() {
    return ports.runner();
  }

  /** Throws when the engine has stopped a job whose commit is not decided. */
  public void requireNotStopped(String commit) throws CommitFailedException {
    if (ports.stop().isGiven()) {
      throw CommitErrors.stopped(commit, paths.root());
    }
  }

  /** Runs an action for every file of a ledger, many in parallel. */
  public void each(Ledger ledger, ParallelRunner.Action<Upload> action)
      throws IOException, InterruptedException {
    ledger.each(batch -> runner().each(batch.iterator(), action));
  }

  public Clock clock() {
    return ports.clock();
  }

  public Retry retry() {
    return new Retry(settings.retry(), ports.clock(), ports.nonces());
  }

  public RecordFiles records() {
    return new RecordFiles(ports.store(), retry());
  }

  public HeadStore heads() {
    SharedHead shared = ports.heads().of(paths.head());
    return new HeadStore(ports.store(), paths.head(), retry(), ports.nonces(), shared);
  }
}
