package io.repave.core.record;

import java.util.List;

/**
 * The live files at a version, in shards sorted by partition; unchanged shards of the checkpoint
 * before are used again. {@code commits} are those published since it, so that the chain of
 * checkpoints is the table's whole history.
 */
public record CheckpointIndex(
    long version,
    String previous,
    long previousVersion,
    List<CheckpointShard> shards,
    List<LoggedCommit> commits) {
  public CheckpointIndex {
    shards = List.copyOf(shards);
    commits = List.copyOf(commits);
  }

  public long files() {
    return shards.stream().mapToLong(CheckpointShard::files).sum();
  }
}
