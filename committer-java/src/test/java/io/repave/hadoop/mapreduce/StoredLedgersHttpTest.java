package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitId;
import io.repave.core.record.Readers;
import io.repave.hadoop.TableAccess;
import io.repave.testing.LabProxy.Sent;
import io.repave.testing.ProxiedS3;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The requests of jobs whose tasks store their ledgers: those of MapReduce. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoredLedgersHttpTest {
  private static final int A_PAGE = 1000;

  private ProxiedS3 s3;

  @BeforeAll
  void start() throws IOException {
    s3 = ProxiedS3.start("lake");
  }

  @AfterAll
  void stop() throws IOException {
    s3.close();
  }

  private TestSave save(String table) throws Exception {
    s3.proxy().reset();
    TestSave save = new TestSave(s3.configuration(), "s3a://lake/" + table, 1);
    for (int task = 0; task < 3; task++) {
      save.runTask(task, 0, "line");
    }
    return save;
  }

  private List<String> requests(String operation) throws IOException {
    return s3.proxy().journal().stream()
        .filter(sent -> sent.operation().equals(operation) && sent.key().contains("/task-"))
        .map(Sent::key)
        .map(key -> key.substring(key.lastIndexOf('/') + 1))
        .toList();
  }

  private static final String[] EACH_ONCE = {
    "task-task_20261126_0001_m_000000-0",
    "task-task_20261126_0001_m_000001-0",
    "task-task_20261126_0001_m_000002-0"
  };

  @Test
  void aCommitPutsAndGetsEachLedgerOnce() throws Exception {
    save("committed").commit();
    assertThat(requests("PutObject")).containsExactly(EACH_ONCE);
    assertThat(requests("GetObject")).containsExactly(EACH_ONCE);
  }

  @Test
  void anAbortGetsEachLedgerOnce() throws Exception {
    save("aborted").abort();
    assertThat(requests("GetObject")).containsExactly(EACH_ONCE);
  }

  /** A save whose last ledger is not on the first page, after those of attempts that were lost. */
  private TestSave withManyLedgers(Readers readers, int number) throws Exception {
    Configuration conf = s3.server().configuration(s3.server().endpoint());
    conf.set("repave.readers", readers.name().toLowerCase(Locale.ROOT));
    String table = "s3a://lake/" + readers;
    TestSave save = new TestSave(conf, table, number);
    TaskAttemptID first = save.attempt(0, 0).getTaskAttemptID();
    JobRecord record = new JobRecord(TableAccess.of(conf, table), first.getJobID() + "-0");
    CommitId commit = record.commitOfTask(conf);
    List<Callable<Void>> puts =
        IntStream.range(0, A_PAGE)
            .mapToObj(attempt -> new TaskAttemptID(first.getTaskID(), attempt))
            .map(attempt -> putting(record, commit, attempt))
            .toList();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (Future<Void> put : threads.invokeAll(puts)) {
        put.get();
      }
    } finally {
      threads.shutdown();
    }
    save.runTask(0, A_PAGE, "first");
    save.runTask(1, 0, "second");
    return save;
  }

  private static Callable<Void> putting(JobRecord record, CommitId commit, TaskAttemptID attempt) {
    return () -> {
      record.putLedger(commit, attempt, new byte[0]);
      return null;
    };
  }

  private String keysOf(Readers readers) throws IOException {
    return s3.server().get("/lake?list-type=2&prefix=" + readers + "/");
  }

  @Test
  void aCommitReadsTheLedgersOfAllPages() throws Exception {
    withManyLedgers(Readers.LISTING, 2).commit();
    assertThat(keysOf(Readers.LISTING))
        .contains("part-m-00000", "part-m-00001")
        .doesNotContain("/task-");
  }

  /** The tasks of a snapshot table have put their files, which only the ledgers name. */
  @Test
  void anAbortDeletesTheFilesOfTheLedgersOfAllPages() throws Exception {
    withManyLedgers(Readers.SNAPSHOT, 3).abort();
    assertThat(keysOf(Readers.SNAPSHOT)).doesNotContain("part-m-").doesNotContain("/task-");
  }
}
