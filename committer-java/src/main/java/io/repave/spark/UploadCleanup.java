package io.repave.spark;

import io.repave.core.commit.WriteTransaction;
import java.io.IOException;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aborts the uploads that lost task attempts of a job left. It runs in a thread of its own from the
 * publication of the commit on, while the commit deletes old files and writes its report. Its
 * failure is only logged, because the commit has succeeded.
 */
final class UploadCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(UploadCleanup.class);

  private final String commit;
  private final WriteTransaction job;
  private final ThreadFactory threads;
  private Thread thread;

  UploadCleanup(String commit, WriteTransaction job) {
    this(commit, job, work -> new Thread(work, "repave-upload-cleanup"));
  }

  UploadCleanup(String commit, WriteTransaction job, ThreadFactory threads) {
    this.commit = commit;
    this.job = job;
    this.threads = threads;
  }

  /**
   * From now on, no upload of the job is needed. Without a thread for it the cleanup waits for
   * {@link #end}, because the commit is published and must not fail.
   */
  void begin() {
    try {
      Thread started = threads.newThread(this::run);
      started.setDaemon(true);
      started.start();
      thread = started;
    } catch (Error noThread) {
      LOG.info(
          "Commit {}: no thread starts for the upload cleanup; it runs at the end",
          commit,
          noThread);
    }
  }

  /** Waits for its end. Cleans up now if it did not begin, as after a repeated write. */
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
      int aborted = job.abortLostUploads();
      if (aborted > 0) {
        LOG.info("Commit {}: aborted {} uploads of lost task attempts", commit, aborted);
      }
    } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
      LOG.warn(
          "Uploads of lost task attempts of commit {} may remain. Vacuum removes them.", commit, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
