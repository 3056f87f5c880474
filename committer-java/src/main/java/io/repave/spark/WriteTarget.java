package io.repave.spark;

import io.repave.core.engine.CommitResult;
import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.Coverage;
import io.repave.hadoop.TableAccess;
import java.io.Serializable;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What one write writes to. {@code commit} names it in the records and in every file, the same in
 * the driver and in all tasks.
 */
record WriteTarget(String commit, String path, boolean dynamic) implements Serializable {
  private static final long serialVersionUID = 1L;

  static WriteTarget of(String jobId, String path, boolean dynamic) {
    return new WriteTarget(commitOf(jobId), path, dynamic);
  }

  /** Batch writes come with a UUID; other ids (a streaming batch's number) are used again. */
  private static String commitOf(String jobId) {
    try {
      return UUID.fromString(jobId).toString();
    } catch (IllegalArgumentException notUnique) {
      return UUID.randomUUID().toString();
    }
  }

  /** Whether Repave commits this write. */
  boolean isManaged(Configuration conf) {
    try {
      return !isHiveStaging() && new Coverage(conf).covers(new Path(qualified(conf)));
    } catch (InvalidConfigException e) {
      throw Rethrown.as(e);
    }
  }

  /** Whether it may, as far as the path tells: the options of the write decide. */
  boolean mayBeManaged(Configuration conf) {
    try {
      return !isHiveStaging() && new Coverage(conf).mayCover(new Path(qualified(conf)));
    } catch (InvalidConfigException e) {
      throw Rethrown.as(e);
    }
  }

  /** Whether an earlier commit had done this write's work, under the same token. */
  boolean isRepeatedBy(CommitResult result) {
    return !result.by().id().equals(commit);
  }

  /** The table that the path belongs to. */
  TableAccess access(Configuration conf) throws InvalidConfigException {
    return TableAccess.of(conf, qualified(conf));
  }

  /**
   * Hive writes into a folder of its own and renames from there by itself. A commit of ours would
   * only add records to a folder that vanishes.
   */
  private boolean isHiveStaging() {
    return path.contains("/.hive-staging") || path.contains("/-ext-10000");
  }

  private String qualified(Configuration conf) throws InvalidConfigException {
    Path given = new Path(path);
    if (given.toUri().getScheme() != null) {
      return TableAccess.storePath(conf, given).toString();
    }
    return given.makeQualified(FileSystem.getDefaultUri(conf), new Path("/")).toString();
  }
}
