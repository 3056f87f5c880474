package io.repave.hadoop.mapreduce;

import io.repave.hadoop.RepaveFileSystem;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/** A save that has begun. Its tasks get the configuration of the driver, as in Spark. */
final class TestSave {
  private final Job job;
  private final JobID id;
  private final OutputCommitter committer;

  TestSave(Configuration conf, String folder, int number) throws Exception {
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("repave.retry.budget", "3s");
    conf.set("fs.s3a.attempts.maximum", "1");
    conf.set(
        "mapreduce.outputcommitter.factory.scheme.s3a", RepaveCommitterFactory.class.getName());
    job = Job.getInstance(conf);
    FileOutputFormat.setOutputPath(job, new Path(folder));
    id = new JobID("20261126", number);
    committer = committer(attempt(0, 0));
    committer.setupJob(attempt(0, 0));
  }

  TaskAttemptContext attempt(int task, int number) {
    TaskID of = new TaskID(id, TaskType.MAP, task);
    return new TaskAttemptContextImpl(job.getConfiguration(), new TaskAttemptID(of, number));
  }

  private static OutputCommitter committer(TaskAttemptContext attempt) throws Exception {
    return new TextOutputFormat<>().getOutputCommitter(attempt);
  }

  /** Writes a line as an attempt of a task. Returns its committer, which did not commit. */
  OutputCommitter write(TaskAttemptContext attempt, String line) throws Exception {
    OutputCommitter of = committer(attempt);
    RecordWriter<NullWritable, Text> writer =
        new TextOutputFormat<NullWritable, Text>().getRecordWriter(attempt);
    writer.write(NullWritable.get(), new Text(line));
    writer.close(attempt);
    return of;
  }

  void runTask(int task, int number, String line) throws Exception {
    write(attempt(task, number), line).commitTask(attempt(task, number));
  }

  void commit() throws Exception {
    committer.commitJob(attempt(0, 0));
  }

  void abort() throws Exception {
    committer.abortJob(attempt(0, 0), JobStatus.State.FAILED);
  }
}
