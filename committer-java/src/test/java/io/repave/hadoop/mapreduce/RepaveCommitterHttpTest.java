package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.Readers;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.testing.EmbeddedS3;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
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
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.example.ExampleOutputFormat;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs like MapReduce's: one committer for the job, and one for each task attempt. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepaveCommitterHttpTest {
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

  /** One job. Hadoop's own output format creates its contexts and committers. */
  private final class Run {
    private final Job job;
    private final JobID id;
    private final OutputCommitter committer;

    Run(String folder, int number) throws Exception {
      this(folder, number, Readers.LISTING);
    }

    Run(String folder, int number, Readers readers) throws Exception {
      Configuration conf = server.configuration(server.endpoint());
      conf.set("repave.readers", readers.name().toLowerCase(Locale.ROOT));
      conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
      conf.set(
          "mapreduce.outputcommitter.factory.scheme.s3a", RepaveCommitterFactory.class.getName());
      job = Job.getInstance(conf);
      FileOutputFormat.setOutputPath(job, new Path(folder));
      id = new JobID("20261121", number);
      committer = new TextOutputFormat<>().getOutputCommitter(context(0, 0));
      committer.setupJob(context(0, 0));
    }

    TaskAttemptContext context(int task, int attempt) {
      TaskID taskId = new TaskID(id, TaskType.REDUCE, task);
      return new TaskAttemptContextImpl(job.getConfiguration(), new TaskAttemptID(taskId, attempt));
    }

    /**
     * Writes one line as an attempt of a task. Returns its committer, which did not commit. Like in
     * Spark, it is not the committer that gave the writer its path.
     */
    OutputCommitter write(TaskAttemptContext context, String line) throws Exception {
      OutputCommitter of = new TextOutputFormat<>().getOutputCommitter(context);
      of.setupTask(context);
      RecordWriter<NullWritable, Text> writer =
          new TextOutputFormat<NullWritable, Text>().getRecordWriter(context);
      writer.write(NullWritable.get(), new Text(line));
      writer.close(context);
      assertThat(of.needsTaskCommit(context)).isTrue();
      return of;
    }

    void runTask(int task, int attempt, String line) throws Exception {
      TaskAttemptContext context = context(task, attempt);
      write(context, line).commitTask(context);
    }
  }

  private List<String> lines(String folder) throws IOException {
    Path path = new Path(folder);
    FileSystem files = path.getFileSystem(server.configuration(server.endpoint()));
    List<String> lines = new ArrayList<>();
    if (!files.exists(path)) {
      return lines;
    }
    RemoteIterator<LocatedFileStatus> all = files.listFiles(path, false);
    while (all.hasNext()) {
      Path file = all.next().getPath();
      if (!file.getName().startsWith("_")) {
        try (FSDataInputStream in = files.open(file)) {
          lines.add(new String(in.readAllBytes(), StandardCharsets.UTF_8).trim());
        }
      }
    }
    lines.sort(null);
    return lines;
  }

  @Test
  void theOutputOfCommittedAttemptsAppearsWhenTheJobCommits() throws Exception {
    Run run = new Run("s3a://lake/mr", 1);
    run.runTask(0, 0, "zero");
    TaskAttemptContext lost = run.context(1, 0);
    run.write(lost, "lost").abortTask(lost);
    run.write(run.context(1, 1), "never committed nor aborted");
    run.runTask(1, 2, "one");
    OutputCommitter idle = new TextOutputFormat<>().getOutputCommitter(run.context(2, 0));
    assertThat(idle.needsTaskCommit(run.context(2, 0))).isFalse();
    assertThat(lines("s3a://lake/mr")).isEmpty();

    run.committer.commitJob(run.context(0, 0));
    assertThat(lines("s3a://lake/mr")).containsExactly("one", "zero");
    Path success = new Path("s3a://lake/mr/_SUCCESS");
    assertThat(success.getFileSystem(run.job.getConfiguration()).exists(success)).isTrue();
    Path left = new Path("s3a://lake/mr/_repave/jobs");
    assertThat(left.getFileSystem(run.job.getConfiguration()).exists(left)).isFalse();
  }

  @Test
  void theFactsOfAParquetFileAreRecorded() throws Exception {
    Run run = new Run("s3a://lake/mr-parquet", 7);
    TaskAttemptContext context = run.context(0, 0);
    OutputCommitter of = new TextOutputFormat<>().getOutputCommitter(context);
    of.setupTask(context);
    MessageType type = MessageTypeParser.parseMessageType("message m { required int64 id; }");
    ExampleOutputFormat.setSchema(run.job, type);
    Path file = new TextOutputFormat<>().getDefaultWorkFile(context, ".parquet");
    RecordWriter<Void, Group> writer = new ExampleOutputFormat().getRecordWriter(context, file);
    for (long id = 0; id < 3; id++) {
      writer.write(null, new SimpleGroupFactory(type).newGroup().append("id", id));
    }
    writer.close(context);
    of.commitTask(context);
    run.committer.commitJob(run.context(0, 0));
    Path manifest = new Path("s3a://lake/mr-parquet/_repave/commits/*/manifest.json.gz");
    FileSystem files = manifest.getFileSystem(run.job.getConfiguration());
    FileStatus[] manifests = files.globStatus(manifest);
    try (InputStream in = new GZIPInputStream(files.open(manifests[0].getPath()))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .contains("\"rows\":3,\"schema\":0")
          .contains("\"schemas\":[{\"ddl\":[\"id long not null\"]}]");
    }
  }

  /** Engines abort a task whose commit failed, although its ledger may have been stored. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAttemptThatIsAbortedAfterItsLedgerWasKeptStaysWhole(Readers readers) throws Exception {
    Run run = new Run("s3a://lake/kept-" + readers, 10 + readers.ordinal(), readers);
    TaskAttemptContext context = run.context(0, 0);
    OutputCommitter of = run.write(context, "zero");
    of.commitTask(context);
    of.abortTask(context);
    run.runTask(1, 0, "one");
    run.committer.commitJob(run.context(0, 0));
    assertThat(lines("s3a://lake/kept-" + readers)).containsExactly("one", "zero");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void anAbortedJobLeavesNothing(Readers readers) throws Exception {
    String table = "aborted-" + readers;
    Run run = new Run("s3a://lake/" + table, 2, readers);
    run.runTask(0, 0, "zero");
    assertThat(leftOf(table)).contains("_repave/jobs").contains("part-r-00000");
    run.committer.abortJob(run.context(0, 0), JobStatus.State.FAILED);
    assertThat(leftOf(table)).doesNotContain("_repave/jobs").doesNotContain("part-r-00000");
  }

  /** The objects and open uploads of a table, as the server lists them. */
  private String leftOf(String table) throws IOException {
    String prefix = "prefix=" + table + "/";
    return server.get("/lake?list-type=2&" + prefix) + server.get("/lake?uploads&" + prefix);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/dt=1", "/dt=1/h=2"})
  void aJobIntoTheTableOfAStreamingQueryIsRefused(String folder) throws Exception {
    Path log = new Path("s3a://lake/sink/_spark_metadata/0");
    FileSystem files = log.getFileSystem(server.configuration(server.endpoint()));
    files.create(log).close();
    String before = leftOf("sink");
    assertThatThrownBy(() -> new Run("s3a://lake/sink" + folder, 5))
        .hasMessageContaining("s3://lake/sink is written by a streaming query");
    assertThat(leftOf("sink")).isEqualTo(before);
  }

  /** An engine aborts a job whose set-up failed. */
  @Test
  void aSecondJobOfTheSameIdIsRefusedAndItsAbortLeavesTheFirstAlone() throws Exception {
    Run run = new Run("s3a://lake/twice", 3);
    OutputCommitter second = new TextOutputFormat<>().getOutputCommitter(run.context(0, 0));
    assertThatThrownBy(() -> second.setupJob(run.context(0, 0)))
        .hasMessageContaining("Another job with the same Hadoop id");
    second.abortJob(run.context(0, 0), JobStatus.State.FAILED);
    assertThat(leftOf("twice")).contains("_repave/jobs");
    run.runTask(0, 0, "zero");
    run.committer.commitJob(run.context(0, 0));
    assertThat(lines("s3a://lake/twice")).containsExactly("zero");
  }

  /** An attempt that was given up may store its ledger after the attempt that replaced it. */
  @Test
  void ofTheCommittedAttemptsOfATaskTheOneWithTheHighestNumberCounts() throws Exception {
    Run run = new Run("s3a://lake/attempts", 4);
    run.runTask(0, 2, "first");
    run.runTask(0, 10, "last");
    run.runTask(0, 9, "given up");
    run.committer.commitJob(run.context(0, 0));
    assertThat(lines("s3a://lake/attempts")).containsExactly("last");
    assertThat(leftOf("attempts")).doesNotContain("/task-");
  }

  /** Spark may allow a second attempt to commit when the executor of the first one is lost. */
  @ParameterizedTest
  @ValueSource(ints = {11, 12})
  void theHighestAttemptCountsWhetherItsLedgerIsStoredOrSent(int sent) throws Exception {
    String table = "s3a://lake/sent-" + sent;
    Run run = new Run(table, 10 + sent);
    try {
      LedgerMessages.JVM.use(
          ledger ->
              ledger.attempt() == sent ? LedgerInbox.JVM.receive(ledger) : LedgerAnswer.STORE);
      run.runTask(0, 12, "12");
      run.runTask(0, 11, "11");
    } finally {
      LedgerMessages.JVM.stop();
    }
    run.committer.commitJob(run.context(0, 0));
    assertThat(lines(table)).containsExactly("12");
  }

  /** A task that writes a file of its own into its work folder. */
  private static void sideFile(Run run, TaskType type, String name) throws Exception {
    TaskAttemptID id = new TaskAttemptID(new TaskID(run.id, type, 0), 0);
    TaskAttemptContext context = new TaskAttemptContextImpl(run.job.getConfiguration(), id);
    PathOutputCommitter of =
        (PathOutputCommitter) new TextOutputFormat<>().getOutputCommitter(context);
    Path path = new Path(of.getWorkPath(), name);
    try (OutputStream out = path.getFileSystem(run.job.getConfiguration()).create(path)) {
      out.write(type.name().getBytes(StandardCharsets.UTF_8));
    }
    of.commitTask(context);
  }

  @ParameterizedTest
  @CsvSource({"stats.txt, stats.txt", "for-r-us.txt, for-r-us.txt", "stats-r.txt, stats.txt"})
  void aMapTaskAndAReduceTaskOfOneNumberMayChooseOneName(String ofMap, String ofReduce)
      throws Exception {
    String table = "s3a://lake/" + ofMap + ofReduce;
    Run run = new Run(table, 8);
    sideFile(run, TaskType.MAP, ofMap);
    sideFile(run, TaskType.REDUCE, ofReduce);
    run.committer.commitJob(run.context(0, 0));
    assertThat(lines(table)).containsExactlyInAnyOrder("MAP", "REDUCE");
  }

  /** Otherwise readers of the folder would read the index as rows. */
  @Test
  void aSideFileWithAHiddenNameStaysHidden() throws Exception {
    Run run = new Run("s3a://lake/hidden", 9);
    sideFile(run, TaskType.MAP, ".index");
    run.committer.commitJob(run.context(0, 0));
    assertThat(leftOf("hidden")).contains("/.index-").doesNotContain("/-part");
  }
}
