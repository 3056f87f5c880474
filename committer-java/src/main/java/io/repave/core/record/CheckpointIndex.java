package io.repave.core.record;

import java.util.List;

/**
 * The files of a table at a version, and the commits since the previous checkpoint; the chain of
 * checkpoints is the table's history. The live files are in shards, sorted by partition. A
 * checkpoint names unchanged shards of the previous one again.
 *
 * <p>Listing tables have checkpoints without files, because nothing reads the files at every
 * commit. Such a checkpoint names the newest checkpoint that has files, and its version.
 */
public record CheckpointIndex(
    long version,
    String previous,
    long previousVersion,
    List<CheckpointShard> shards,
    List<LoggedCommit> commits,
    FilesAt files) {

  /** The checkpoint with the newest recorded live files; "" for the checkpoint itself. */
  public record FilesAt(String checkpoint, long version) {
    /** No checkpoint has files; manifests name all of them. */
    public static final FilesAt NOWHERE = new FilesAt("", 0);

    /** Version 0.1 wrote files into every checkpoint, without this member. */
    public static final FilesAt UNSPECIFIED = new FilesAt("", -1);
  }

  public CheckpointIndex {
    shards = List.copyOf(shards);
    commits = List.copyOf(commits);
  }

  /** An empty checkpoint, for versions before a table's first one. */
  public static CheckpointIndex none() {
    return new CheckpointIndex(0, "", 0, List.of(), List.of(), FilesAt.NOWHERE);
  }

  /** True when the shards of this checkpoint are the live files at its version. */
  public boolean hasFiles() {
    return files.equals(FilesAt.UNSPECIFIED) || files.equals(new FilesAt("", version));
  }
}
