package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.testing.EmbeddedS3;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.OutputCommitter;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapred.lib.MultipleTextOutputFormat;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of the old API, as Spark runs them: each use asks the configuration for a new committer. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepaveMapredCommitterHttpTest {
  private EmbeddedS3 server;

  @BeforeAll
  void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
  }

  @AfterAll
  void stop() throws IOException {
    FileSystem.closeAll();
    server.close();
  }

  @AfterEach
  void noMessages() {
    LedgerMessages.JVM.stop();
  }

  /** Writes each key into a partition of its own. */
  private static final class ByKey extends MultipleTextOutputFormat<Text, Text> {
    @Override
    protected String generateFileNameForKeyValue(Text key, Text value, String name) {
      return "dt=" + key + "/" + name;
    }
  }

  /** One job. */
  private final class Run {
    private final JobID id;
    private final String folder;
    private final OutputCommitter committer;

    Run(String folder, int number) throws IOException {
      this.folder = folder;
      id = new JobID("20261122", number);
      committer = conf(0, 0).getOutputCommitter();
      committer.setupJob(job());
    }

    JobContext job() {
      return new JobContextImpl(conf(0, 0), id);
    }

    JobConf conf(int task, int attempt) {
      Configuration conf = server.configuration(server.endpoint());
      conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
      conf.set("mapred.output.committer.class", RepaveMapredCommitter.class.getName());
      conf.set("mapreduce.task.attempt.id", attempt(task, attempt).toString());
      JobConf job = new JobConf(conf);
      FileOutputFormat.setOutputPath(job, new Path(folder));
      return job;
    }

    private TaskAttemptID attempt(int task, int attempt) {
      return new TaskAttemptID(new TaskID(id, TaskType.MAP, task), attempt);
    }

    /** Writes two partitions. */
    TaskAttemptContext write(int task, int attempt, String line) throws IOException {
      JobConf conf = conf(task, attempt);
      TaskAttemptContext context = new TaskAttemptContextImpl(conf, attempt(task, attempt));
      conf.getOutputCommitter().setupTask(context);
      String name = "part-0000" + task;
      RecordWriter<Text, Text> writer =
          new ByKey().getRecordWriter(FileSystem.get(conf), conf, name, Reporter.NULL);
      writer.write(new Text("1"), new Text(line));
      writer.write(new Text("2"), new Text(line));
      writer.close(Reporter.NULL);
      return context;
    }

    void commit(TaskAttemptContext context) throws IOException {
      OutputCommitter of = context.getJobConf().getOutputCommitter();
      assertThat(of.needsTaskCommit(context)).isTrue();
      of.commitTask(context);
    }
  }

  /** The lines of each file, by its folder and the beginning of its name. */
  private Map<String, String> lines(String folder) throws IOException {
    Path path = new Path(folder);
    FileSystem files = path.getFileSystem(server.configuration(server.endpoint()));
    Map<String, String> lines = new TreeMap<>();
    RemoteIterator<LocatedFileStatus> all = files.listFiles(path, true);
    while (all.hasNext()) {
      Path file = all.next().getPath();
      if (!file.toString().contains("/_")) {
        try (FSDataInputStream in = files.open(file)) {
          String text = new String(in.readAllBytes(), StandardCharsets.UTF_8).trim();
          lines.put(file.getParent().getName() + "/" + file.getName().substring(0, 10), text);
        }
      }
    }
    return lines;
  }

  private static final Map<String, String> EXPECTED =
      Map.of(
          "dt=1/part-00000", "1\tzero",
          "dt=2/part-00000", "2\tzero",
          "dt=1/part-00001", "1\tone",
          "dt=2/part-00001", "2\tone");

  private static void runTasks(Run run) throws IOException {
    run.commit(run.write(0, 0, "zero"));
    TaskAttemptContext lost = run.write(1, 0, "lost");
    lost.getJobConf().getOutputCommitter().abortTask(lost);
    run.commit(run.write(1, 1, "first"));
    run.commit(run.write(1, 2, "one"));
    run.write(2, 0, "never committed nor aborted");
  }

  @Test
  void namedOutputsOfPartitionsAppearWhenTheJobCommits() throws Exception {
    Run run = new Run("s3a://lake/old", 1);
    runTasks(run);
    run.committer.commitJob(run.job());
    assertThat(lines("s3a://lake/old")).isEqualTo(EXPECTED);
  }

  /**
   * MapReduce asks for the folder of a task's side files in its own way, as Task.initialize does.
   */
  @Test
  void aSideFileOfATaskIsPublishedWithItsJob() throws Exception {
    Run run = new Run("s3a://lake/side", 6);
    JobConf conf = run.conf(0, 0);
    conf.setBoolean("mapreduce.task.ismap", true);
    conf.setInt("mapreduce.task.partition", 0);
    TaskAttemptContext task = new TaskAttemptContextImpl(conf, run.attempt(0, 0));
    FileOutputCommitter of = (FileOutputCommitter) conf.getOutputCommitter();
    FileOutputFormat.setWorkOutputPath(conf, of.getTaskAttemptPath(task));
    of.setupTask(task);
    Path side = FileOutputFormat.getPathForCustomFile(conf, "side");
    try (FSDataOutputStream out = side.getFileSystem(conf).create(side)) {
      out.write("index".getBytes(StandardCharsets.UTF_8));
    }
    run.commit(task);
    run.committer.commitJob(run.job());
    assertThat(lines("s3a://lake/side")).isEqualTo(Map.of("side/side-m-000", "index"));
  }

  @Test
  void ledgersThatArriveByMessageNeedNoObjects() throws Exception {
    LedgerMessages.JVM.use(LedgerInbox.JVM::receive);
    Run run = new Run("s3a://lake/message", 2);
    runTasks(run);
    Path commits = new Path("s3a://lake/message/_repave/commits");
    FileSystem files = commits.getFileSystem(run.conf(0, 0));
    assertThat(files.exists(commits)).isFalse();
    run.committer.commitJob(run.job());
    assertThat(lines("s3a://lake/message")).isEqualTo(EXPECTED);
  }

  /** A message may arrive although its sender sees a failure. Then the ledger is there twice. */
  @Test
  void aTaskWhoseMessageFailedIsCommittedOnce() throws Exception {
    LedgerMessages.JVM.use(
        ledger -> {
          if (ledger.task().endsWith("1")) {
            LedgerInbox.JVM.receive(ledger);
          }
          throw new IOException("no answer");
        });
    Run run = new Run("s3a://lake/twice", 3);
    runTasks(run);
    run.committer.commitJob(run.job());
    assertThat(lines("s3a://lake/twice")).isEqualTo(EXPECTED);
  }

  @Test
  void anAbortedJobLeavesNothing() throws Exception {
    Run run = new Run("s3a://lake/none", 4);
    run.commit(run.write(0, 0, "zero"));
    assertThat(server.get("/lake?uploads&prefix=none/")).contains("part-00000");
    run.committer.abortJob(run.job(), org.apache.hadoop.mapred.JobStatus.FAILED);
    assertThat(server.get("/lake?uploads&prefix=none/")).doesNotContain("part-00000");
    Path folder = new Path("s3a://lake/none");
    assertThat(folder.getFileSystem(run.conf(0, 0)).exists(folder)).isFalse();
  }

  @Test
  void otherPathsAreCommittedByHadoopsOwnCommitter(@TempDir java.nio.file.Path local)
      throws Exception {
    String folder = local.resolve("out").toUri().toString();
    Run run = new Run(folder, 5);
    runTasks(run);
    run.committer.commitJob(run.job());
    assertThat(lines(folder)).containsEntry("dt=1/part-00000", "1\tzero");
    assertThat(Files.exists(local.resolve("out/_SUCCESS"))).isTrue();
  }
}
