package io.repave;

import io.repave.core.record.Readers;
import java.util.List;
import java.util.Optional;

/**
 * The state of a table.
 *
 * @param table the path that the table was opened with
 * @param tableId "" for a table that Repave has not committed to
 * @param version 0 for a table without commits
 * @param oldestVersion the oldest version that can still be read
 * @param readers how the table is read; empty for a table without commits
 * @param checkpointVersion the version of the newest checkpoint; 0 for none
 * @param active unfinished commits, oldest first
 * @param followers pointers of other readers
 */
public record TableStatus(
    String table,
    String tableId,
    long version,
    long oldestVersion,
    Optional<Readers> readers,
    long checkpointVersion,
    List<UnfinishedCommit> active,
    List<FollowerStatus> followers) {
  public TableStatus {
    active = List.copyOf(active);
    followers = List.copyOf(followers);
  }
}
