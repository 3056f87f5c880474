package io.repave.spark.write;

import io.repave.core.engine.CommitResult;
import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.ManagedPaths;
import io.repave.hadoop.TableAccess;
import io.repave.spark.bridge.SneakyThrow;
import java.io.Serializable;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The target of one write. {@code commit} is its id in the records and in file names. It is the
 * same in the driver and in all tasks.
 */
public record WriteTarget(String commit, String path, boolean dynamic) implements Serializable {
  private static final long serialVersionUID = 1L;

  public static WriteTarget of(String jobId, String path, boolean dynamic) {
    return new WriteTarget(commitOf(jobId), path, dynamic);
  }

  /** The job id of a batch write is a UUID. Other ids (a streaming batch's number) are reused. */
  private static String commitOf(String jobId) {
    try {
      return UUID.fromString(jobId).toString();
    } catch (IllegalArgumentException notUnique) {
      return UUID.randomUUID().toString();
    }
  }

  /** Whether Repave commits this write. */
  public boolean isManaged(Configuration conf) {
    try {
      return !ManagedPaths.isHiveStaging(path)
          && new ManagedPaths(conf).manages(new Path(qualified(conf)));
    } catch (InvalidConfigException e) {
      throw SneakyThrow.as(e);
    }
  }

  /** Whether an earlier commit with the same token had already done this write. */
  public boolean isRepeatedBy(CommitResult result) {
    return !result.by().id().equals(commit);
  }

  /** The table that the path belongs to. */
  public TableAccess access(Configuration conf) throws InvalidConfigException {
    return TableAccess.of(conf, qualified(conf));
  }

  private String qualified(Configuration conf) throws InvalidConfigException {
    Path given = new Path(path);
    if (given.toUri().getScheme() != null) {
      return TableAccess.storePath(conf, given).toString();
    }
    return given.makeQualified(FileSystem.getDefaultUri(conf), new Path("/")).toString();
  }
}
