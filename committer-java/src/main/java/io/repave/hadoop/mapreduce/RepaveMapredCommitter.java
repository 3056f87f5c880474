package io.repave.hadoop.mapreduce;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/**
 * The committer of the old API, for {@code mapred.output.committer.class}: {@code saveAsTextFile}
 * and {@code saveAsHadoopFile} use it. That key has no scheme, so paths that Repave does not manage
 * are committed by Hadoop's own committer, as they were.
 *
 * <p>Output formats of the old API ask only a {@link FileOutputCommitter} for its work folder.
 */
public final class RepaveMapredCommitter extends FileOutputCommitter {
  private Optional<RepaveCommitter> own;

  /** The committer of a managed path. One instance serves one job, or one attempt of a task. */
  private synchronized Optional<RepaveCommitter> own(JobConf conf, TaskAttemptID attempt)
      throws IOException {
    if (own == null) {
      Path output = FileOutputFormat.getOutputPath(conf);
      Optional<Path> managed =
          output == null ? Optional.empty() : RepaveCommitterFactory.managed(conf, output);
      own =
          managed.isPresent()
              ? Optional.of(
                  new RepaveCommitter(managed.get(), new TaskAttemptContextImpl(conf, attempt)))
              : Optional.empty();
    }
    return own;
  }

  private Optional<RepaveCommitter> own(JobContext job) throws IOException {
    TaskID any = new TaskID(job.getJobID(), TaskType.MAP, 0);
    return own(job.getJobConf(), new TaskAttemptID(any, 0));
  }

  private Optional<RepaveCommitter> own(TaskAttemptContext task) throws IOException {
    return own(task.getJobConf(), task.getTaskAttemptID());
  }

  @Override
  public Path getWorkPath(TaskAttemptContext task, Path output) throws IOException {
    Optional<RepaveCommitter> found = own(task);
    return found.isPresent() ? found.get().getWorkPath() : super.getWorkPath(task, output);
  }

  /** MapReduce writes the side files of a task into this folder. */
  @Override
  public Path getTaskAttemptPath(TaskAttemptContext task) throws IOException {
    Optional<RepaveCommitter> found = own(task);
    return found.isPresent() ? found.get().getWorkPath() : super.getTaskAttemptPath(task);
  }

  @Override
  public void setupJob(JobContext job) throws IOException {
    Optional<RepaveCommitter> found = own(job);
    if (found.isPresent()) {
      found.get().setupJob(job);
    } else {
      super.setupJob(job);
    }
  }

  @Override
  public void commitJob(JobContext job) throws IOException {
    Optional<RepaveCommitter> found = own(job);
    if (found.isPresent()) {
      found.get().commitJob(job);
    } else {
      super.commitJob(job);
    }
  }

  @Override
  @Deprecated
  public void cleanupJob(JobContext job) throws IOException {
    if (own(job).isEmpty()) {
      super.cleanupJob(job);
    }
  }

  @Override
  public void abortJob(JobContext job, int state) throws IOException {
    Optional<RepaveCommitter> found = own(job);
    if (found.isPresent()) {
      found.get().abortJob(job, JobStatus.State.FAILED);
    } else {
      super.abortJob(job, state);
    }
  }

  @Override
  public void setupTask(TaskAttemptContext task) throws IOException {
    Optional<RepaveCommitter> found = own(task);
    if (found.isPresent()) {
      found.get().setupTask(task);
    } else {
      super.setupTask(task);
    }
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext task) throws IOException {
    Optional<RepaveCommitter> found = own(task);
    return found.isPresent() ? found.get().needsTaskCommit(task) : super.needsTaskCommit(task);
  }

  @Override
  public void commitTask(TaskAttemptContext task) throws IOException {
    Optional<RepaveCommitter> found = own(task);
    if (found.isPresent()) {
      found.get().commitTask(task);
    } else {
      super.commitTask(task);
    }
  }

  @Override
  public void abortTask(TaskAttemptContext task) throws IOException {
    Optional<RepaveCommitter> found = own(task);
    if (found.isPresent()) {
      found.get().abortTask(task);
    } else {
      super.abortTask(task);
    }
  }

  @Override
  @Deprecated
  public boolean isRecoverySupported() {
    return false;
  }

  @Override
  public boolean isRecoverySupported(JobContext job) throws IOException {
    return own(job).isEmpty() && super.isRecoverySupported(job);
  }

  @Override
  public boolean isCommitJobRepeatable(JobContext job) throws IOException {
    return own(job).isEmpty() && super.isCommitJobRepeatable(job);
  }
}
