package io.repave.sim;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.EngineSettings;
import io.repave.core.ledger.Ledger;
import java.io.IOException;
import java.util.SplittableRandom;

/** What a simulated process runs: the engine, or a mutant that the checker must catch. */
interface Protocol {
  /** The engine as users run it. */
  Protocol REAL = new Protocol() {};

  /** A job that has begun. */
  interface Job {
    void commit(Ledger ledger) throws IOException, InterruptedException;

    void abort(Ledger ledger) throws IOException, InterruptedException;
  }

  /** Whether the table of a schedule has a follower. */
  default boolean follows(SplittableRandom random) {
    return random.nextInt(3) == 0;
  }

  /** The names of a job's files. */
  default JobSpec named(JobSpec spec) {
    return spec;
  }

  default Job begin(World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    WriteTransaction job = process.table(settings).begin(spec.request("_SUCCESS"));
    return new Job() {
      @Override
      public void commit(Ledger ledger) throws IOException, InterruptedException {
        job.commit(ledger);
      }

      @Override
      public void abort(Ledger ledger) throws IOException, InterruptedException {
        job.abort(ledger);
      }
    };
  }

  default void recover(World.Process process) throws IOException, InterruptedException {
    process.table().recover();
  }

  default void vacuum(World.Process process, EngineSettings settings, long retention)
      throws IOException, InterruptedException {
    process.table(settings).vacuum(retention);
  }
}
