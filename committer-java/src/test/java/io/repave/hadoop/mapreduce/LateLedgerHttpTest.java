package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Progress;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.testing.LabProxy;
import io.repave.testing.ProxiedS3;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** An attempt that its engine gave up stores its ledger while the job commits another attempt. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LateLedgerHttpTest {
  private static final String SLOW_MANIFEST =
      "{\"do\": \"delay_after\", \"op\": \"PutObject\", \"key\": \"manifest.json.gz\", \"ms\": 3000}";
  private static final String NO_HEAD =
      "{\"do\": \"error\", \"op\": \"PutObject\", \"key\": \"head.json\"}";
  private static final Pattern NAME = Pattern.compile("\"name\":\"([^\"]+)\"");

  private ProxiedS3 s3;
  private LabProxy proxy;

  @BeforeAll
  void start() throws IOException {
    s3 = ProxiedS3.start("lake");
    proxy = s3.proxy();
  }

  @AfterAll
  void stop() throws IOException {
    s3.close();
  }

  @BeforeEach
  void noFaults() throws IOException {
    proxy.reset();
  }

  /** A job with one task, of which the second attempt has committed and the first one has not. */
  private final class Run {
    private final Path table;
    private final Job job;
    private final JobID id;
    private final OutputCommitter committer;
    private final OutputCommitter givenUp;

    Run(Path table, int number) throws Exception {
      this.table = table;
      Configuration conf = s3.configuration();
      conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
      conf.set("repave.retry.budget", "3s");
      conf.set("fs.s3a.attempts.maximum", "1");
      conf.set(
          "mapreduce.outputcommitter.factory.scheme.s3a", RepaveCommitterFactory.class.getName());
      job = Job.getInstance(conf);
      FileOutputFormat.setOutputPath(job, table);
      id = new JobID("20261125", number);
      committer = new TextOutputFormat<>().getOutputCommitter(attempt(0));
      committer.setupJob(attempt(0));
      givenUp = write(attempt(0));
      write(attempt(1)).commitTask(attempt(1));
    }

    private TaskAttemptContext attempt(int number) {
      TaskID task = new TaskID(id, TaskType.REDUCE, 0);
      return new TaskAttemptContextImpl(job.getConfiguration(), new TaskAttemptID(task, number));
    }

    private OutputCommitter write(TaskAttemptContext attempt) throws Exception {
      OutputCommitter of = new TextOutputFormat<>().getOutputCommitter(attempt);
      RecordWriter<NullWritable, Text> writer =
          new TextOutputFormat<NullWritable, Text>().getRecordWriter(attempt);
      writer.write(NullWritable.get(), new Text("the same rows"));
      writer.close(attempt);
      return of;
    }

    /** Commits the job; between its manifest and its uploads the other attempt commits. */
    CompletableFuture<Void> commit(String... faultsSince) throws Exception {
      proxy.faults("[" + SLOW_MANIFEST + "]");
      CompletableFuture<Void> commit =
          CompletableFuture.runAsync(() -> Unchecked.run(() -> committer.commitJob(attempt(0))));
      while (recorded(table).isEmpty()) {
        Thread.sleep(50);
      }
      givenUp.commitTask(attempt(0));
      proxy.faults("[" + String.join(",", faultsSince) + "]");
      return commit;
    }
  }

  private FileSystem files() throws IOException {
    return new Path("s3a://lake/").getFileSystem(s3.server().configuration(s3.server().endpoint()));
  }

  private List<String> data(Path table) throws IOException {
    return Stream.of(files().listStatus(table, path -> !path.getName().startsWith("_")))
        .map(file -> file.getPath().getName())
        .toList();
  }

  /** The files that the table's manifest names. */
  private List<String> recorded(Path table) throws IOException {
    FileStatus[] manifests = files().globStatus(new Path(table, "_repave/commits/*/manifest*"));
    if (manifests == null || manifests.length == 0) {
      return List.of();
    }
    try (InputStream in = new GZIPInputStream(files().open(manifests[0].getPath()))) {
      String manifest = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return NAME.matcher(manifest).results().map(name -> name.group(1)).toList();
    }
  }

  @Test
  void itChangesNothing() throws Exception {
    Path table = new Path("s3a://lake/late");
    new Run(table, 1).commit().join();
    assertThat(data(table)).hasSize(1).isEqualTo(recorded(table));
  }

  /** Another process completes what the recorded ledger names. */
  @Test
  void aRecoveryAfterItDoesNotDoubleRows() throws Exception {
    Path table = new Path("s3a://lake/recovered");
    Run run = new Run(table, 2);
    assertThat(run.commit(NO_HEAD)).failsWithin(Duration.ofSeconds(60));
    proxy.reset();
    TableAccess.of(run.job.getConfiguration(), table.toString()).table(Progress.SILENT).recover();
    assertThat(data(table)).hasSize(1).isEqualTo(recorded(table));
  }
}
