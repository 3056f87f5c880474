package io.repave.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import org.apache.spark.internal.io.HadoopMapReduceCommitProtocol;

/** A commit protocol of a site. It records its calls. */
public final class SiteProtocol extends HadoopMapReduceCommitProtocol {
  static final List<String> CALLS = new ArrayList<>();
  private static final long serialVersionUID = 1L;

  public SiteProtocol(String jobId, String path, boolean dynamic) {
    super(jobId, path, dynamic);
  }

  @Override
  public void setupJob(JobContext job) {
    CALLS.add("setupJob");
    super.setupJob(job);
  }

  @Override
  public void onTaskCommit(TaskCommitMessage message) {
    CALLS.add("onTaskCommit");
  }

  @Override
  public void setupTask(TaskAttemptContext context) {
    CALLS.add("setupTask");
    super.setupTask(context);
  }

  @Override
  public void abortTask(TaskAttemptContext context) {
    CALLS.add("abortTask");
    super.abortTask(context);
  }
}
