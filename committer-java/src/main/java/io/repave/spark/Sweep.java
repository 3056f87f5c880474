package io.repave.spark;

import io.repave.core.commit.WriteTransaction;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aborts the uploads that lost task attempts of a job left. It runs in a thread of its own from the
 * publication of the commit on, while the commit deletes old files and writes its report. Its
 * failure is only logged, because the commit has succeeded.
 */
final class Sweep {
  private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);

  private final String commit;
  private final WriteTransaction job;
  private Thread thread;

  Sweep(String commit, WriteTransaction job) {
    this.commit = commit;
    this.job = job;
  }

  /** Begins the sweep: from now on, no upload of the job is needed. */
  void begin() {
    thread = new Thread(this::run, "repave-sweep");
    thread.setDaemon(true);
    thread.start();
  }

  /** Waits for its end. Sweeps now if the sweep did not begin, as after a repeated write. */
  void end() {
    if (thread == null) {
      run();
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      int swept = job.sweep();
      if (swept > 0) {
        LOG.info("Commit {}: aborted {} uploads of lost task attempts", commit, swept);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Uploads of lost task attempts of commit {} may remain. Vacuum removes them.", commit, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
