package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepaveCommitProtocolTest {
  @TempDir Path folder;

  private final String jobId = UUID.randomUUID().toString();

  private RepaveCommitProtocol protocol(String path) {
    return new RepaveCommitProtocol(jobId, path, false);
  }

  private static Job job(String path) throws IOException {
    Job job = Job.getInstance(new Configuration());
    job.setOutputFormatClass(TextOutputFormat.class);
    job.getConfiguration().set("mapreduce.output.fileoutputformat.outputdir", path);
    return job;
  }

  private static TaskAttemptContext attempt(Job job) {
    TaskAttemptID id = new TaskAttemptID("20261121", 0, TaskType.MAP, 3, 7);
    return new TaskAttemptContextImpl(job.getConfiguration(), id);
  }

  private static Object copied(Object original) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(original);
    }
    return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
  }

  @Test
  void sparkShipsItToEveryTask() throws Exception {
    RepaveCommitProtocol driver = protocol("s3a://lake/sales");
    driver.onTaskCommit(new TaskCommitMessage(new byte[] {1}));
    assertThat(copied(driver)).isInstanceOf(RepaveCommitProtocol.class);
  }

  @Test
  void deletingAtOnceIsStillDoneForALocalPath() throws Exception {
    Path old = Files.createFile(folder.resolve("old"));
    Job job = job(folder.toUri().toString());
    FileSystem fs = FileSystem.get(job.getConfiguration());
    boolean done =
        protocol(folder.toUri().toString())
            .deleteWithJob(fs, new org.apache.hadoop.fs.Path(old.toUri()), true);
    assertThat(done).isTrue();
    assertThat(old).doesNotExist();
  }

  /** Otherwise its old files would stay beside those that Spark's own protocol writes. */
  @Test
  void anOverwriteThatBeganWithRepaveIsNotHandedToSparksOwnProtocol() throws Exception {
    RepaveCommitProtocol driver = protocol("s3a://lake/sales");
    FileSystem session = FileSystem.getLocal(new Configuration());
    org.apache.hadoop.fs.Path table = new org.apache.hadoop.fs.Path("s3a://lake/sales");
    assertThat(driver.deleteWithJob(session, table, true)).isTrue();
    Job write = job("s3a://lake/sales");
    write.getConfiguration().set("repave.schemes", "none");
    assertThatThrownBy(() -> driver.setupJob(write))
        .isInstanceOf(InvalidConfig.class)
        .hasMessageContaining("repave.schemes");
  }

  @Test
  void hivesStagingFolderOnS3StaysWithSparksProtocol() {
    String staging = "s3a://lake/t/.hive-staging_hive_2026-11-21_1/-ext-10000";
    Configuration conf = new Configuration();
    assertThat(WriteTarget.of(jobId, staging, false).isManaged(conf)).isFalse();
    assertThat(WriteTarget.of(jobId, "s3a://lake/t", false).isManaged(conf)).isTrue();
  }

  @Test
  void aPathWithoutASchemeBelongsToTheDefaultFileSystem() {
    Configuration conf = new Configuration();
    assertThat(WriteTarget.of(jobId, "/t", false).isManaged(conf)).isFalse();
    conf.set("fs.defaultFS", "s3a://lake");
    assertThat(WriteTarget.of(jobId, "/t", false).isManaged(conf)).isTrue();
  }

  @Test
  void theCommitIsNamedByTheJobsOwnIdWhenThatIsUnique() {
    assertThat(WriteTarget.of(jobId, "s3a://lake/t", false).commit()).isEqualTo(jobId);
    String first = WriteTarget.of("0", "s3a://lake/t", false).commit();
    assertThat(first).isNotEqualTo(WriteTarget.of("0", "s3a://lake/t", false).commit());
  }

  @Test
  void aSessionWithoutTheFileSystemIsToldTheLineThatIsMissing() throws Exception {
    assertThatThrownBy(() -> protocol("s3a://lake/sales").setupJob(job("s3a://lake/sales")))
        .isInstanceOf(InvalidConfig.class)
        .hasMessageContaining("spark.hadoop.fs.repave.impl=io.repave.hadoop.RepaveFileSystem");
  }

  @Test
  void abortingAJobThatNeverBeganDoesNothing() throws Exception {
    RepaveCommitProtocol driver = protocol("s3a://lake/sales");
    driver.abortJob(job("s3a://lake/sales"));
    driver.abortJob(job("s3a://lake/sales"));
  }

  @Test
  void aTaskWithoutFilesCommitsWithoutARequest() throws Exception {
    Job job = job("s3a://lake/sales");
    RepaveCommitProtocol task = protocol("s3a://lake/sales");
    task.setupTask(attempt(job));
    assertThat(task.commitTask(attempt(job)).obj()).isEqualTo(new byte[0]);
    task.abortTask(attempt(job));
  }
}
