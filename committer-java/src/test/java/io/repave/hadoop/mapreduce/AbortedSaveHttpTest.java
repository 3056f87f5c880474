package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.CommitFailedException;
import io.repave.testing.ProxiedS3;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An abort leaves nothing, so that the save can run again, and throws nothing. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AbortedSaveHttpTest {
  private ProxiedS3 s3;

  @BeforeAll
  void start() throws IOException {
    s3 = ProxiedS3.start("lake");
  }

  @AfterAll
  void stop() throws IOException {
    s3.close();
  }

  private TestSave uploaded(String table, int number) throws Exception {
    s3.proxy().reset();
    TestSave save = new TestSave(s3.configuration(), "s3a://lake/" + table, number);
    save.runTask(0, 0, "zero");
    save.runTask(1, 0, "one");
    assertThat(leftOf(table)).contains("_repave/jobs").contains("/task-").contains("part-m-00001");
    return save;
  }

  private String leftOf(String table) throws IOException {
    String prefix = "prefix=" + table + "/";
    return s3.server().get("/lake?list-type=2&" + prefix)
        + s3.server().get("/lake?uploads&" + prefix);
  }

  private void requireNothingLeft(String table) throws IOException {
    assertThat(leftOf(table)).doesNotContain("<Key>");
  }

  /** Spark interrupts the thread of a statement that is stopped, and aborts its job there. */
  @Test
  void anInterruptedThreadAbortsItsJobAndStaysInterrupted() throws Exception {
    TestSave save = uploaded("interrupted", 1);
    Thread.currentThread().interrupt();
    try {
      save.abort();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    requireNothingLeft("interrupted");
  }

  @ParameterizedTest
  @CsvSource({"unread, GetObject, /task-, 100", "unlisted, ListObjectsV2, _repave/commits/, 1"})
  void aJobWhoseStoredLedgersCannotBeReadIsAborted(
      String table, String operation, String key, int times) throws Exception {
    TestSave save = uploaded(table, 2);
    s3.proxy()
        .faults(
            ("[{\"do\": \"error\", \"op\": \"%s\", \"key\": \"%s\", \"status\": 403,"
                    + " \"code\": \"AccessDenied\", \"times\": %d}]")
                .formatted(operation, key, times));
    save.abort();
    assertThat(s3.proxy().hits()).containsExactly(1L);
    requireNothingLeft(table);
  }

  /** Its exception would hide the one that ended the job. */
  @Test
  void anAbortWithoutAStoreThrowsNothing() throws Exception {
    TestSave save = uploaded("outage", 3);
    s3.proxy().faults("[{\"do\": \"error\", \"status\": 403, \"code\": \"AccessDenied\"}]");
    save.abort();
    s3.proxy().reset();
  }

  /** {@code repave.only} holds for saves, too. */
  @Test
  void aSaveOutsideItsGuardChangesNothing() throws Exception {
    s3.proxy().reset();
    Configuration conf = s3.configuration();
    conf.set("repave.only", "dt=1");
    TestSave inside = new TestSave(conf, "s3a://lake/guarded/dt=1", 4);
    inside.runTask(0, 0, "inside");
    inside.commit();
    String before = leftOf("guarded");
    TestSave outside = new TestSave(conf, "s3a://lake/guarded/dt=2", 5);
    outside.runTask(0, 0, "outside");
    assertThatThrownBy(outside::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("repave.only does not name: dt=2");
    outside.abort();
    assertThat(leftOf("guarded")).isEqualTo(before);
  }
}
