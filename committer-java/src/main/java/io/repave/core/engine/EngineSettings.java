package io.repave.core.engine;

import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.util.List;
import java.util.Optional;

/**
 * How the engine behaves.
 *
 * @param readers those that a job asks for; empty for those of the table
 * @param heartbeatMillis how often a running commit shows that it is alive; other jobs finish a
 *     commit whose heartbeat stops for four intervals. 0 for no heartbeat
 * @param leaseMillis how long the entry of a commit without a heartbeat must stay unchanged before
 *     other jobs finish it; its age counts when a job first reads it
 * @param drainMillis longer than any request lives; a revert waits for this time
 * @param allowed folders outside the table in which a recovery may complete and delete files
 * @param historyRetentionMillis how long vacuum keeps the records of published commits
 * @param logCheckpointEvery the number of versions between two checkpoints of a Delta log
 * @param followers those of a table whose first commit this is
 */
public record EngineSettings(
    Optional<Readers> readers,
    ConflictPolicy conflicts,
    long heartbeatMillis,
    long leaseMillis,
    long drainMillis,
    RetryPolicy retry,
    int checkpointEvery,
    int logCheckpointEvery,
    long historyRetentionMillis,
    List<Location> allowed,
    List<FollowerKind> followers) {
  public EngineSettings {
    allowed = List.copyOf(allowed);
    followers = List.copyOf(followers);
  }

  public static final EngineSettings DEFAULTS =
      new EngineSettings(
          Optional.empty(),
          ConflictPolicy.FAIL,
          2_000,
          60_000,
          300_000,
          RetryPolicy.DEFAULT,
          20,
          100,
          90L * 24 * 3_600_000,
          List.of(),
          List.of());

  /** The readers of a table whose first commit this is. */
  public Readers readersOfNewTable() {
    return readers.orElse(Readers.LISTING);
  }

  public EngineSettings with(Readers other) {
    return change().readers(Optional.of(other)).done();
  }

  public EngineSettings with(ConflictPolicy other) {
    return change().conflicts(other).done();
  }

  /** Starts a changed copy. */
  public Draft change() {
    return new Draft(this);
  }

  /** A changed copy; settings that are not set keep their values. */
  public static final class Draft {
    private Optional<Readers> readers;
    private ConflictPolicy conflicts;
    private long heartbeatMillis;
    private long leaseMillis;
    private long drainMillis;
    private RetryPolicy retry;
    private int checkpointEvery;
    private int logCheckpointEvery;
    private long historyRetentionMillis;
    private List<Location> allowed;
    private List<FollowerKind> followers;

    private Draft(EngineSettings from) {
      readers = from.readers;
      conflicts = from.conflicts;
      heartbeatMillis = from.heartbeatMillis;
      leaseMillis = from.leaseMillis;
      drainMillis = from.drainMillis;
      retry = from.retry;
      checkpointEvery = from.checkpointEvery;
      logCheckpointEvery = from.logCheckpointEvery;
      historyRetentionMillis = from.historyRetentionMillis;
      allowed = from.allowed;
      followers = from.followers;
    }

    public Draft readers(Optional<Readers> now) {
      readers = now;
      return this;
    }

    public Draft conflicts(ConflictPolicy now) {
      conflicts = now;
      return this;
    }

    public Draft heartbeatMillis(long now) {
      heartbeatMillis = now;
      return this;
    }

    public Draft leaseMillis(long now) {
      leaseMillis = now;
      return this;
    }

    public Draft drainMillis(long now) {
      drainMillis = now;
      return this;
    }

    public Draft retry(RetryPolicy now) {
      retry = now;
      return this;
    }

    public Draft checkpointEvery(int now) {
      checkpointEvery = now;
      return this;
    }

    public Draft logCheckpointEvery(int now) {
      logCheckpointEvery = now;
      return this;
    }

    public Draft historyRetentionMillis(long now) {
      historyRetentionMillis = now;
      return this;
    }

    public Draft allowed(List<Location> now) {
      allowed = now;
      return this;
    }

    public Draft followers(List<FollowerKind> now) {
      followers = now;
      return this;
    }

    public EngineSettings done() {
      return new EngineSettings(
          readers,
          conflicts,
          heartbeatMillis,
          leaseMillis,
          drainMillis,
          retry,
          checkpointEvery,
          logCheckpointEvery,
          historyRetentionMillis,
          allowed,
          followers);
    }
  }
}
