package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.spark.write.WriteTarget;
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

  /** Only the job's configuration tells whose write it is, for a local path too. */
  @Test
  void anOverwriteOfALocalPathDeletesWhenTheJobBegins() throws Exception {
    Path old = Files.createFile(folder.resolve("old"));
    Job job = job(folder.toUri().toString());
    FileSystem fs = FileSystem.get(job.getConfiguration());
    RepaveCommitProtocol protocol = protocol(folder.toUri().toString());
    assertThat(protocol.deleteWithJob(fs, new org.apache.hadoop.fs.Path(old.toUri()), true))
        .isTrue();
    assertThat(old).exists();
    // The default protocol needs Spark's SQL conf, which these tests do not have.
    String fallback = "org.apache.spark.internal.io.HadoopMapReduceCommitProtocol";
    job.getConfiguration().set("repave.fallback.protocol", fallback);
    protocol.setupJob(job);
    assertThat(old).doesNotExist();
    protocol.abortJob(job);
  }

  /** Spark asks for the deletion before the options of the write are known. */
  @Test
  void anOverwriteThatItsOptionsTakeOutOfOurHandsDeletesWhenTheJobBegins() throws Exception {
    Path table = Files.createDirectory(folder.resolve("table"));
    Path old = Files.createFile(table.resolve("old"));
    Configuration session = new Configuration();
    session.set("repave.schemes", "file");
    RepaveCommitProtocol driver = protocol(table.toUri().toString());
    assertThat(
            driver.deleteWithJob(
                FileSystem.newInstance(table.toUri(), session),
                new org.apache.hadoop.fs.Path(table.toUri()),
                true))
        .isTrue();
    assertThat(old).exists();
    Job write = job(table.toUri().toString());
    write.getConfiguration().set("repave.schemes", "file");
    write.getConfiguration().set("repave.enabled", "false");
    // The default protocol needs Spark's SQL conf, which these tests do not have.
    String fallback = "org.apache.spark.internal.io.HadoopMapReduceCommitProtocol";
    write.getConfiguration().set("repave.fallback.protocol", fallback);
    driver.setupJob(write);
    assertThat(old).doesNotExist();
    driver.abortJob(write);
  }

  @Test
  void excludedBucketsAndFoldersAndTheOffSwitchAreNotOurs() {
    Configuration conf = new Configuration();
    conf.set("repave.exclude", "s3://raw, s3a://lake/landing/");
    assertThat(WriteTarget.of(jobId, "s3a://raw/t", false).isManaged(conf)).isFalse();
    assertThat(WriteTarget.of(jobId, "s3a://lake/landing", false).isManaged(conf)).isFalse();
    assertThat(WriteTarget.of(jobId, "s3://lake/landing/a/b", false).isManaged(conf)).isFalse();
    assertThat(WriteTarget.of(jobId, "s3a://lake/landings", false).isManaged(conf)).isTrue();
    assertThat(WriteTarget.of(jobId, "s3a://rawer/t", false).isManaged(conf)).isTrue();
    conf.set("repave.enabled", "false");
    assertThat(WriteTarget.of(jobId, "s3a://lake/landings", false).isManaged(conf)).isFalse();
  }

  @Test
  void anExclusionThatNamesNoPlaceIsRefusedInsteadOfExcludingNothing() {
    Configuration conf = new Configuration();
    conf.set("repave.exclude", "lake/landing");
    assertThatThrownBy(() -> WriteTarget.of(jobId, "s3a://lake/t", false).isManaged(conf))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("names 'lake/landing', which is not like s3://bucket");
    conf.set("repave.exclude", "s3://raw-*");
    assertThatThrownBy(() -> WriteTarget.of(jobId, "s3a://raw-1/t", false).isManaged(conf))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("names 's3://raw-*', but it takes no patterns");
    conf.set("repave.exclude", "s3://lake/tmp_[0-9]");
    assertThatThrownBy(() -> WriteTarget.of(jobId, "s3a://lake/t", false).isManaged(conf))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("takes no patterns");
  }

  /** The error about the schemes recommends it. */
  @Test
  void wrongSchemesDoNotMatterWhileRepaveIsOff() throws Exception {
    Configuration conf = new Configuration();
    conf.set("repave.schemes", "s3a://");
    assertThatThrownBy(() -> WriteTarget.of(jobId, "s3a://lake/t", false).isManaged(conf))
        .isInstanceOf(InvalidConfigException.class);
    conf.set("repave.enabled", "false");
    assertThat(WriteTarget.of(jobId, "s3a://lake/t", false).isManaged(conf)).isFalse();
  }

  @Test
  void theSitesOwnProtocolCommitsWhatWeDoNot() throws Exception {
    Job job = job(folder.toUri().toString());
    job.getConfiguration().set("repave.fallback.protocol", SiteProtocol.class.getName());
    RepaveCommitProtocol driver = protocol(folder.toUri().toString());
    driver.setupJob(job);
    driver.onTaskCommit(new TaskCommitMessage("seen"));
    RepaveCommitProtocol task = (RepaveCommitProtocol) copied(driver);
    task.setupTask(attempt(job));
    task.abortTask(attempt(job));
    assertThat(SiteProtocol.CALLS)
        .containsExactly("setupJob", "onTaskCommit", "setupTask", "abortTask");
  }

  @Test
  void aFallbackThatCannotBeIsRefusedBeforeTheJob() throws Exception {
    Job job = job(folder.toUri().toString());
    job.getConfiguration().set("repave.fallback.protocol", "com.example.Gone");
    assertThatThrownBy(() -> protocol(folder.toUri().toString()).setupJob(job))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("com.example.Gone, a class that is not on the class path");
    String ours = RepaveCommitProtocol.class.getName();
    job.getConfiguration().set("repave.fallback.protocol", ours);
    assertThatThrownBy(() -> protocol(folder.toUri().toString()).setupJob(job))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("which is Repave itself");
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
        .isInstanceOf(InvalidConfigException.class)
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
