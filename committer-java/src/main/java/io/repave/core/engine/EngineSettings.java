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
 * @param deltaCheckpointEvery the number of versions between two checkpoints of a Delta log
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
    int deltaCheckpointEvery,
    long historyRetentionMillis,
    List<Location> allowed,
    List<FollowerKind> followers) {
  public EngineSettings {
    allowed = List.copyOf(allowed);
    followers = List.copyOf(followers);
  }

  /** The readers of a table whose first commit this is. */
  public Readers readersOfNewTable() {
    return readers.orElse(Readers.LISTING);
  }
}
