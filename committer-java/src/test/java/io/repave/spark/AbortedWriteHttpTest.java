package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.testing.ProxiedS3;
import java.io.IOException;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.internal.io.FileNameSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import scala.Option;

@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AbortedWriteHttpTest {
  private ProxiedS3 s3;

  @BeforeAll
  void start() throws IOException {
    s3 = ProxiedS3.start("lake");
  }

  @AfterAll
  void stop() throws IOException {
    s3.close();
  }

  /** Spark skips a write with mode ignore, or refuses it, if anything is in the folder. */
  @Test
  void aJobWhoseStoredLedgersCannotBeReadLeavesNothing() throws Exception {
    Configuration conf = s3.configuration();
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("repave.message.size", "0");
    String id = UUID.randomUUID().toString();
    RepaveCommitProtocol protocol = new RepaveCommitProtocol(id, "s3a://lake/sales", false);
    Job job = Job.getInstance(conf);
    protocol.setupJob(job);
    TaskAttemptID attempt = new TaskAttemptID("20261126", 0, TaskType.MAP, 3, 7);
    TaskAttemptContext task = new TaskAttemptContextImpl(job.getConfiguration(), attempt);
    protocol.setupTask(task);
    FileNameSpec name = new FileNameSpec("", ".txt");
    Path path = new Path(protocol.newTaskTempFile(task, Option.apply("dt=1"), name));
    try (FSDataOutputStream out = path.getFileSystem(conf).create(path)) {
      out.write(1);
    }
    protocol.onTaskCommit(protocol.commitTask(task));
    assertThat(left()).contains("/task-").contains("part-00003");

    s3.proxy()
        .faults(
            "[{\"do\": \"error\", \"op\": \"GetObject\", \"key\": \"/task-\", \"status\": 403,"
                + " \"code\": \"AccessDenied\"}]");
    protocol.abortJob(job);

    assertThat(s3.proxy().hits()).containsExactly(1L);
    assertThat(left()).doesNotContain("<Key>");
  }

  private String left() throws IOException {
    return s3.server().get("/lake?list-type=2") + s3.server().get("/lake?uploads");
  }
}
