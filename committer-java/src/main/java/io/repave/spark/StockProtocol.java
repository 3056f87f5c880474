package io.repave.spark;

import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol;
import scala.collection.Seq;

/** Spark's own protocol, for the paths that Repave does not manage. */
final class StockProtocol implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileCommitProtocol protocol;

  StockProtocol(String jobId, String path, boolean dynamic) {
    protocol = new SQLHadoopMapReduceCommitProtocol(jobId, path, dynamic);
  }

  FileCommitProtocol protocol() {
    return protocol;
  }

  /** Hands on the call that Spark makes on Scala 2.12, which our compiler's Spark does not have. */
  void commitJob(JobContext job, Seq<FileCommitProtocol.TaskCommitMessage> tasks) {
    try {
      MethodHandle commitJob =
          MethodHandles.publicLookup()
              .findVirtual(
                  FileCommitProtocol.class,
                  "commitJob",
                  MethodType.methodType(void.class, JobContext.class, Seq.class));
      commitJob.invoke(protocol, job, tasks);
    } catch (Throwable e) {
      throw Rethrown.as(e);
    }
  }
}
