package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.ManagedPaths;
import io.repave.spark.bridge.SneakyThrow;
import io.repave.spark.check.HiveDirectory;
import io.repave.spark.write.GivenOptions;
import io.repave.spark.write.WritePlan;
import io.repave.spark.write.WriteTarget;
import java.io.IOException;
import java.io.Serializable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileNameSpec;
import scala.Option;
import scala.collection.Seq;

/**
 * The class for {@code spark.sql.sources.commitProtocolClass}. It forwards each call to Repave or,
 * for a path that Repave does not manage, to the fallback protocol.
 *
 * <p>One class supports Scala 2.12 and 2.13: it implements {@link FileCommitProtocol} directly,
 * with both signatures of {@code commitJob}. Spark serializes it into every task, so the state of
 * one process is transient.
 */
public final class RepaveCommitProtocol extends FileCommitProtocol implements Serializable {
  private static final long serialVersionUID = 1L;

  private final WriteTarget target;
  private final String jobId;
  private FallbackProtocol fallback;
  private BegunWrite begun;
  private transient DriverCommit driver;
  private transient TaskWrites task;

  /**
   * Called by Spark. It does nothing yet, because the write may be a no-op. Spark concludes from
   * these three arguments that dynamic overwrite is supported.
   */
  public RepaveCommitProtocol(String jobId, String path, boolean dynamicPartitionOverwrite) {
    target = WriteTarget.of(jobId, path, dynamicPartitionOverwrite);
    this.jobId = jobId;
  }

  @Override
  public void setupJob(JobContext job) {
    WritePlan write = WritePlan.of(target.path());
    GivenOptions options = givenTo(write, job.getConfiguration());
    if (target.isManaged(job.getConfiguration())) {
      begun = driver().setupJob(job.getConfiguration(), write, options);
    } else {
      requireNoTableOfHive(job.getConfiguration());
      fallback = FallbackProtocol.of(job.getConfiguration(), jobId, target);
      for (Path folder : driver().replaced()) {
        delete(folder, job.getConfiguration());
      }
      fallback.protocol().setupJob(job);
    }
  }

  /** Hive replaces the files of a folder after it has written elsewhere. */
  private void requireNoTableOfHive(Configuration conf) {
    try {
      if (ManagedPaths.isHiveStaging(target.path())) {
        HiveDirectory.requireNoTable(conf);
      }
    } catch (IOException | InterruptedException e) {
      throw SneakyThrow.as(e);
    }
  }

  /** Adds options to the job's configuration, before it decides whether Repave is switched on. */
  private GivenOptions givenTo(WritePlan write, Configuration conf) {
    try {
      GivenOptions options = GivenOptions.of(write);
      options.putInto(conf);
      if (!target.isManaged(conf)) {
        options.requireNone(target.path(), conf);
      }
      return options;
    } catch (InvalidConfigException e) {
      throw SneakyThrow.as(e);
    }
  }

  /** Called by Spark on Scala 2.13. */
  @Override
  public void commitJob(
      JobContext job, scala.collection.immutable.Seq<FileCommitProtocol.TaskCommitMessage> tasks) {
    if (target.isManaged(job.getConfiguration())) {
      driver().commitJob(tasks);
    } else {
      fallback.protocol().commitJob(job, tasks);
    }
  }

  /** Called by Spark on Scala 2.12, which has another {@code Seq}. */
  public void commitJob(JobContext job, Seq<FileCommitProtocol.TaskCommitMessage> tasks) {
    if (target.isManaged(job.getConfiguration())) {
      driver().commitJob(tasks);
    } else {
      fallback.commitJob(job, tasks);
    }
  }

  @Override
  public void abortJob(JobContext job) {
    if (target.isManaged(job.getConfiguration())) {
      driver().abortJob();
    } else if (fallback != null) {
      fallback.protocol().abortJob(job);
    }
  }

  /** Called in the scheduler's thread, which must not wait. */
  @Override
  public void onTaskCommit(FileCommitProtocol.TaskCommitMessage message) {
    if (fallback == null) {
      driver().remember(message);
    } else {
      fallback.protocol().onTaskCommit(message);
    }
  }

  /**
   * Spark calls this for a static overwrite before the job begins. To delete the files now would
   * lose the rows if the job fails, so they are deleted after the new ones are published. Only the
   * job's configuration tells whether Repave commits this write: that of the file system may be
   * another write's.
   *
   * <p>In a table whose folder is a whole bucket, Spark names a partition's folder without scheme
   * and bucket. Only this file system knows them.
   */
  @Override
  public boolean deleteWithJob(FileSystem fs, Path path, boolean recursive) {
    driver().replace(path.toUri().getScheme() == null ? fs.makeQualified(path) : path);
    return true;
  }

  /**
   * Deletes the files that Spark asked to delete before the options of the write were known, which
   * exclude this path from Repave. Spark begins the job directly after that call, so the files are
   * deleted at the same time as without Repave.
   */
  private void delete(Path folder, Configuration conf) {
    try {
      FileSystem fs = folder.getFileSystem(conf);
      if (fs.exists(folder) && !fallback.protocol().deleteWithJob(fs, folder, true)) {
        throw ProtocolErrors.oldFilesNotDeleted(folder);
      }
    } catch (IOException e) {
      throw SneakyThrow.as(e);
    }
  }

  @Override
  public void setupTask(TaskAttemptContext context) {
    if (target.isManaged(context.getConfiguration())) {
      task = new TaskWrites(begun, context);
    } else {
      fallback.protocol().setupTask(context);
    }
  }

  @Override
  @Deprecated
  public String newTaskTempFile(TaskAttemptContext context, Option<String> dir, String extension) {
    return task == null
        ? fallback.protocol().newTaskTempFile(context, dir, extension)
        : task.file(dir, "", extension);
  }

  @Override
  public String newTaskTempFile(TaskAttemptContext context, Option<String> dir, FileNameSpec name) {
    return task == null
        ? fallback.protocol().newTaskTempFile(context, dir, name)
        : task.file(dir, name.prefix(), name.suffix());
  }

  @Override
  @Deprecated
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String folder, String extension) {
    return task == null
        ? fallback.protocol().newTaskTempFileAbsPath(context, folder, extension)
        : task.externalFile(folder, "", extension);
  }

  @Override
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String folder, FileNameSpec name) {
    return task == null
        ? fallback.protocol().newTaskTempFileAbsPath(context, folder, name)
        : task.externalFile(folder, name.prefix(), name.suffix());
  }

  @Override
  public FileCommitProtocol.TaskCommitMessage commitTask(TaskAttemptContext context) {
    return task == null
        ? fallback.protocol().commitTask(context)
        : new FileCommitProtocol.TaskCommitMessage(task.commit());
  }

  @Override
  public void abortTask(TaskAttemptContext context) {
    if (task == null) {
      fallback.protocol().abortTask(context);
    } else {
      task.abort();
    }
  }

  private DriverCommit driver() {
    if (driver == null) {
      driver = new DriverCommit(target);
    }
    return driver;
  }
}
