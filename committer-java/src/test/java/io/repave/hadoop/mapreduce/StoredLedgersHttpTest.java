package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.testing.LabProxy.Sent;
import io.repave.testing.ProxiedS3;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The requests of jobs whose tasks store their ledgers: those of MapReduce. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoredLedgersHttpTest {
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
}
