package io.repave.bench;

import java.io.Serializable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileNameSpec;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * No commit at all: every task writes its files where they belong, with S3A's own stream and so
 * with one PUT for each file below its block size. What a job costs that promises nothing.
 *
 * <p>An overwrite puts over the old key, which is right only where both runs split the rows alike,
 * as the benchmark's do; {@code repave.bench.beside} gives each job keys of its own.
 */
public final class DirectWrite extends FileCommitProtocol implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final String BESIDE = "repave.bench.beside";

  private final String path;
  private final String jobId;

  /** Called by Spark: these three arguments tell it that dynamic overwrite is supported. */
  public DirectWrite(String jobId, String path, boolean dynamic) {
    this.path = path;
    this.jobId = jobId;
  }

  @Override
  public String newTaskTempFile(TaskAttemptContext context, Option<String> dir, FileNameSpec spec) {
    Path folder = dir.isDefined() ? new Path(path, dir.get()) : new Path(path);
    boolean beside = context.getConfiguration().getBoolean(BESIDE, false);
    int split = context.getTaskAttemptID().getTaskID().getId();
    String file = spec.prefix() + "part-" + split + "-" + (beside ? jobId : "") + spec.suffix();
    return new Path(folder, file).toString();
  }

  @Override
  @Deprecated
  public String newTaskTempFile(TaskAttemptContext context, Option<String> dir, String extension) {
    return newTaskTempFile(context, dir, new FileNameSpec("", extension));
  }

  @Override
  @Deprecated
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String folder, String extension) {
    throw new UnsupportedOperationException("The benchmark has no partitions elsewhere.");
  }

  @Override
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String folder, FileNameSpec spec) {
    throw new UnsupportedOperationException("The benchmark has no partitions elsewhere.");
  }

  @Override
  public void setupJob(JobContext job) {
    // Nothing to set up, and nothing to commit or to abort below: files are there when written.
  }

  @Override
  public void commitJob(JobContext job, Seq<TaskCommitMessage> tasks) {}

  @Override
  public void abortJob(JobContext job) {}

  @Override
  public void setupTask(TaskAttemptContext context) {}

  @Override
  public TaskCommitMessage commitTask(TaskAttemptContext context) {
    return new TaskCommitMessage(new byte[0]);
  }

  @Override
  public void abortTask(TaskAttemptContext context) {}
}
