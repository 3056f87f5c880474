package io.repave.spark.monitor;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitReport;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.spark.write.WriteTarget;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observes one write and publishes what it cost when it ends: one line in the log and the metrics
 * of the driver. {@code docs/monitoring.md} describes both.
 */
public final class CommitMonitor implements Progress {
  /** A logger of its own, so that operators can show this one line and hide the rest. */
  private static final Logger LOG = LoggerFactory.getLogger("io.repave.commits");

  private final Progress next;
  private final RunningCommits running;
  private final LongSupplier millis;
  private final Consumer<CommitLine> lines;
  private long startedMillis;
  private final Set<CommitId> waitedFor = ConcurrentHashMap.newKeySet();
  private final Set<CommitId> helped = ConcurrentHashMap.newKeySet();
  private CountedStore store;
  private String commit;
  private Location table;
  private CommitKind kind;
  private long waitBeganMillis = -1;
  private long waitedMillis;
  private boolean over;

  /** For a write of this driver: its log and its metrics hear of the end. */
  public static CommitMonitor ofDriver(String commit, Progress next) {
    return new CommitMonitor(
        commit,
        next,
        RunningCommits.JVM,
        () -> System.nanoTime() / 1_000_000,
        CommitMonitor::report);
  }

  /** {@code commit} names the write until its transaction begins; {@code next} hears the same. */
  CommitMonitor(
      String commit,
      Progress next,
      RunningCommits running,
      LongSupplier millis,
      Consumer<CommitLine> lines) {
    this.commit = commit;
    this.next = next;
    this.running = running;
    this.millis = millis;
    this.lines = lines;
    startedMillis = millis.getAsLong();
  }

  /** Counts the requests to a store that pass through the returned one. */
  public ObjectStore observe(ObjectStore observed) {
    store = new CountedStore(observed);
    return store;
  }

  /** Notes which table the write goes to, before its transaction begins. */
  public void begins(Location at, CommitKind of) {
    table = at;
    kind = of;
    startedMillis = millis.getAsLong();
  }

  /** Notes that the transaction has begun: nothing has to be waited for any more. */
  public void began(WriteTransaction transaction) {
    commit = transaction.id().folder();
    endWait();
  }

  @Override
  public void at(Step step, long done, long total) {
    if (step != Step.RESERVE) {
      endWait();
    }
    synchronized (this) { // A late call of another thread must not enter a commit that is over.
      if (!over && table != null) {
        running.at(this, new RunningCommits.Running(table, commit, step, done, total));
      }
    }
    next.at(step, done, total);
  }

  @Override
  public synchronized void waits(CommitId other, long millisLeft) {
    waitedFor.add(other);
    if (waitBeganMillis < 0) {
      waitBeganMillis = millis.getAsLong();
    }
    next.waits(other, millisLeft);
  }

  @Override
  public void helps(CommitId other) {
    helped.add(other);
    next.helps(other);
  }

  @Override
  public void noCheckpoint(String why) {
    next.noCheckpoint(why);
  }

  @Override
  public void notFollowed(String follower, String why) {
    next.notFollowed(follower, why);
  }

  @Override
  public void blocked(CommitId other, String why) {
    next.blocked(other, why);
  }

  /** Publishes a commit; {@code partitions} is the number of folders with new files. */
  public void committed(WriteTarget target, CommitResult result, long partitions) {
    boolean repeated = target.isRepeatedBy(result);
    commit = result.by().folder();
    publish(
        new CommitLine.Change(
            repeated ? CommitOutcome.REPEATED : CommitOutcome.COMMITTED,
            result.version(),
            repeated ? 0 : partitions,
            result.totals(),
            result.report().map(CommitReport::millis).orElse(Map.of())));
  }

  /** Publishes a write that did not become a version, as far as this process knows. */
  public void failed(Throwable why) {
    CommitOutcome outcome = CommitOutcome.FAILED;
    if (why instanceof CommitConflictException) {
      outcome = CommitOutcome.CONFLICT;
    } else if (why instanceof CommitStateUnknownException) {
      outcome = CommitOutcome.UNKNOWN;
    } else if (!(why instanceof CommitFailedException)) {
      outcome = CommitOutcome.REFUSED;
    }
    publish(new CommitLine.Change(outcome, 0, 0, FileTotals.NONE, Map.of()));
  }

  /** Publishes a write whose tasks failed, unless its end was published before. */
  public void aborted() {
    publish(new CommitLine.Change(CommitOutcome.ABORTED, 0, 0, FileTotals.NONE, Map.of()));
  }

  private synchronized void publish(CommitLine.Change change) {
    if (over) {
      return;
    }
    over = true;
    running.over(this);
    endWait();
    CommitLine line =
        new CommitLine(
            new CommitLine.Write(commit, table == null ? "" : table.toString(), kind),
            change,
            new CommitLine.Cost(
                store == null ? 0 : store.requests(),
                store == null ? 0 : store.unanswered(),
                waitedFor.size(),
                waitedMillis,
                helped.size(),
                millis.getAsLong() - startedMillis));
    lines.accept(line);
  }

  /** A published commit must not fail because of its metrics. */
  private static void report(CommitLine line) {
    LOG.info("{}", line);
    try {
      CommitMetrics.current().ifPresent(metrics -> metrics.count(line));
    } catch (RuntimeException | LinkageError e) {
      LOG.warn(
          "Commit {} is missing in the metrics of this driver. The commit itself is not affected.",
          line.write().commit(),
          e);
    }
  }

  private synchronized void endWait() {
    if (waitBeganMillis >= 0) {
      waitedMillis += millis.getAsLong() - waitBeganMillis;
      waitBeganMillis = -1;
    }
  }
}
