package io.repave.core.record;

import java.util.List;

/**
 * What a table holds at a version, and the commits since the checkpoint before: the chain of
 * checkpoints is the table's history. The live files stand in shards, sorted by partition; shards
 * of the checkpoint before that did not change are named again.
 *
 * <p>Tables that are read by listing have checkpoints without files: nobody reads them at every
 * commit. Such a checkpoint names the newest one that has files, and its version.
 */
public record CheckpointIndex(
    long version,
    String previous,
    long previousVersion,
    List<CheckpointShard> shards,
    List<LoggedCommit> commits,
    FilesAt files) {

  /** Where the newest live files stand that were written down; "" for the checkpoint itself. */
  public record FilesAt(String checkpoint, long version) {
    /** No checkpoint has files: all of them stand in manifests. */
    public static final FilesAt NOWHERE = new FilesAt("", 0);

    /** Version 0.1 wrote files into every checkpoint, and did not say so. */
    public static final FilesAt UNSAID = new FilesAt("", -1);
  }

  public CheckpointIndex {
    shards = List.copyOf(shards);
    commits = List.copyOf(commits);
  }

  /** What stands before a table's first checkpoint. */
  public static CheckpointIndex none() {
    return new CheckpointIndex(0, "", 0, List.of(), List.of(), FilesAt.NOWHERE);
  }

  /** True when the shards of this checkpoint are meant to be the live files at its version. */
  public boolean hasFiles() {
    return files.equals(FilesAt.UNSAID) || files.equals(new FilesAt("", version));
  }
}
