package io.repave.spark;

import io.repave.core.CommitReport;
import io.repave.core.CommitResult;
import io.repave.core.Progress;
import io.repave.core.Step;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileTotals;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells Spark's log how far a commit is. */
final class CommitLog implements Progress {
  private static final Logger LOG = LoggerFactory.getLogger(RepaveCommitProtocol.class);

  private final String commit;

  CommitLog(String commit) {
    this.commit = commit;
  }

  @Override
  public void at(Step step, long done, long total) {
    if (done == 0) {
      LOG.debug("Commit {}: {} begins, {} items", commit, step.label(), total);
    } else if (done == total || done % 1_000 == 0) {
      LOG.info("Commit {}: {} {} of {}", commit, step.label(), done, total);
    }
  }

  @Override
  public void waits(CommitId other, long millisLeft) {
    LOG.warn(
        "Commit {} waits for commit {} of another job, which is unfinished and may replace the same"
            + " partitions. If nothing of it changes for {} s, this job finishes it.",
        commit,
        other.id(),
        (millisLeft + 999) / 1_000);
  }

  @Override
  public void helps(CommitId other) {
    LOG.warn(
        "Commit {} finishes commit {} of a job that seems to be dead (repave.lease).",
        commit,
        other.id());
  }

  @Override
  public void blocked(CommitId other, String why) {
    LOG.warn(
        "Commit {} could not finish commit {} of a job that seems to be dead: {} This job goes on;"
            + " it fails if it replaces the same partitions.",
        commit,
        other.id(),
        why);
  }

  /** Why nothing was written; empty if this very commit was published, by whichever process. */
  static Optional<String> discarded(WriteTarget target, CommitResult result) {
    if (result.report().isPresent() || result.by().id().equals(target.commit())) {
      return Optional.empty();
    }
    return Optional.of(
        "The rows of commit "
            + target.commit()
            + " were not written to "
            + target.path()
            + ": its repave.token was used by commit "
            + result.by().id()
            + ", version "
            + result.version()
            + ". That is right if this write repeats that one. If it is another write, give it a"
            + " token of its own and run it again.");
  }

  /** One line when a job is committed. */
  static void summary(WriteTarget target, CommitResult result) {
    Optional<String> discarded = discarded(target, result);
    if (discarded.isPresent()) {
      LOG.warn(discarded.get());
      return;
    }
    FileTotals totals = result.totals();
    LOG.info(
        "Committed {} as version {} of {}: {} files in ({} bytes), {} out; {}",
        result.by().id(),
        result.version(),
        target.path(),
        totals.filesIn(),
        totals.bytesIn(),
        totals.filesOut(),
        result.report().map(CommitLog::costs).orElse("finished by another process"));
  }

  private static String costs(CommitReport report) {
    String steps =
        report.millis().entrySet().stream()
            .sorted(java.util.Map.Entry.comparingByKey())
            .map(step -> step.getKey().label() + " " + step.getValue() + " ms")
            .collect(Collectors.joining(", "));
    long requests = report.requests().values().stream().mapToLong(Long::longValue).sum();
    return requests + " requests, " + steps;
  }
}
