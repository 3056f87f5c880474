package io.repave.spark.monitor;

import io.repave.core.engine.CommitReport;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileTotals;
import io.repave.spark.write.WriteTarget;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs the progress of a commit. PySpark shows warnings, but no lower levels, so everything unusual
 * is logged as a warning.
 */
public final class CommitLog implements Progress {
  /** The class that Spark calls, so that one name in a log configuration covers a write. */
  private static final Logger LOG = LoggerFactory.getLogger("io.repave.spark.RepaveCommitProtocol");

  private final String commit;
  private final Set<String> waitedFor = ConcurrentHashMap.newKeySet();
  private final Set<String> helped = ConcurrentHashMap.newKeySet();

  /** A line of the log. */
  record Line(Level level, String text) {}

  public CommitLog(String commit) {
    this.commit = commit;
  }

  @Override
  public void at(Step step, long done, long total) {
    if (done == 0) {
      LOG.debug("Commit {}: step {} starts with {} items", commit, step.label(), total);
    } else if (done == total || done % 1_000 == 0) {
      LOG.info("Commit {}: {} {} of {}", commit, step.label(), done, total);
    }
  }

  @Override
  public void waits(CommitId other, long millisLeft) {
    waitedFor.add(other.id());
    LOG.warn(
        "Commit {} waits for the unfinished commit {} of another job, which may replace the same"
            + " partitions. If that commit does not change for {} s, this job finishes it.",
        commit,
        other.id(),
        (millisLeft + 999) / 1_000);
  }

  @Override
  public void helps(CommitId other) {
    helped.add(other.id());
    LOG.warn(
        "Commit {} finishes commit {}, because the job of the latter shows no sign of life.",
        commit,
        other.id());
  }

  @Override
  public void blocked(CommitId other, String why) {
    LOG.warn(
        "Commit {} could not finish commit {}, whose job seems to be dead: {} This job continues,"
            + " and fails if it replaces the same partitions.",
        commit,
        other.id(),
        why);
  }

  @Override
  public void notFollowed(String follower, String why) {
    LOG.warn(behind(follower, why));
  }

  String behind(String follower, String why) {
    return "Commit %s is published, but its readers through %s do not see it yet: %s"
        .formatted(commit, follower, why);
  }

  @Override
  public void noCheckpoint(String why) {
    LOG.warn(
        "Commit {} is published. A checkpoint that was due could not be written, and a later commit"
            + " tries again. If the store has denied the write, allow it below _repave/checkpoints/"
            + " and, if the table has a Delta log, below _delta_log/. The cause: {}",
        commit,
        why);
  }

  /** Logs one line after a commit; {@code puts} are requests that its report does not have. */
  public void summarize(WriteTarget target, String token, CommitResult result, long puts) {
    Line line = summary(target, token, result, puts);
    if (line.level() == Level.WARN) {
      LOG.warn(line.text());
    } else {
      LOG.info(line.text());
    }
  }

  Line summary(WriteTarget target, String token, CommitResult result, long puts) {
    if (target.isRepeatedBy(result)) {
      return new Line(
          Level.WARN,
          String.format(
              Locale.ROOT,
              "Commit %s changed nothing: version %d of %s, commit %s, already has its token '%s'."
                  + " If this was another write, give it another token.",
              commit,
              result.version(),
              target.path(),
              result.by().id(),
              token));
    }
    FileTotals totals = result.totals();
    String text =
        String.format(
            Locale.ROOT,
            "Committed %s as version %d of %s: %d files in (%d bytes%s), %d out%s; %s%s%s",
            result.by().id(),
            result.version(),
            target.path(),
            totals.filesIn(),
            totals.bytesIn(),
            rows(totals.filesIn(), totals.rowsIn(), ", %d rows"),
            totals.filesOut(),
            rows(totals.filesOut(), totals.rowsOut(), " (%d rows)"),
            result
                .report()
                .map(report -> costs(report, puts))
                .orElse("finished by another process"),
            others("; waited for ", waitedFor),
            others("; finished abandoned commits ", helped));
    boolean usual = waitedFor.isEmpty() && helped.isEmpty() && result.report().isPresent();
    return new Line(usual ? Level.INFO : Level.WARN, text);
  }

  /** Nothing when there are no files, or when their rows are unknown. */
  private static String rows(long files, OptionalLong rows, String format) {
    return files > 0 && rows.isPresent()
        ? String.format(Locale.ROOT, format, rows.getAsLong())
        : "";
  }

  private static String others(String what, Set<String> commits) {
    return commits.isEmpty() ? "" : what + String.join(", ", commits);
  }

  private static String costs(CommitReport report, long puts) {
    String steps =
        report.millis().entrySet().stream()
            .sorted(java.util.Map.Entry.comparingByKey())
            .map(step -> step.getKey().label() + " " + step.getValue() + " ms")
            .collect(Collectors.joining(", "));
    long requests = report.requests().values().stream().mapToLong(Long::longValue).sum();
    double dollars =
        RequestPrice.dollars(report.requests())
            + RequestPrice.dollars(SurroundingRequests.of(report.kind()))
            + RequestPrice.WRITES.dollars(puts);
    return requests + " requests, " + steps + "; about " + text(dollars);
  }

  /** Two digits or more of every amount, because a small commit costs less than a cent. */
  private static String text(double dollars) {
    return String.format(Locale.ROOT, dollars < 0.01 ? "$%.5f" : "$%.3f", dollars);
  }
}
