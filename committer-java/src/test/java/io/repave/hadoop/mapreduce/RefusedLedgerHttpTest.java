package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.CommitFailedException;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.Unchecked;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A task whose job does not take its ledger by message. */
@Tag("http")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RefusedLedgerHttpTest {
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

  private TestSave save(String table, int number) throws Exception {
    return new TestSave(server.configuration(server.endpoint()), "s3a://lake/" + table, number);
  }

  private String leftOf(String table) throws IOException {
    String prefix = "prefix=" + table + "/";
    return server.get("/lake?list-type=2&" + prefix) + server.get("/lake?uploads&" + prefix);
  }

  /** Another task has failed for good. The save could not be run again into this folder. */
  @Test
  void aTaskThatEndsAfterTheAbortOfItsJobStoresNothing() throws Exception {
    TestSave save = save("aborted", 1);
    OutputCommitter slow = save.write(save.attempt(0, 0), "slow");
    LedgerMessages.JVM.use(
        ledger -> {
          Unchecked.run(save::abort);
          return LedgerInbox.JVM.receive(ledger);
        });

    assertThatThrownBy(() -> slow.commitTask(save.attempt(0, 0)))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("takes no more files");
    slow.abortTask(save.attempt(0, 0));

    assertThat(leftOf("aborted")).doesNotContain("<Key>");
  }

  /** Until the abort has deleted the record of the job, only the inbox knows that it has ended. */
  @Test
  void aTaskThatEndsDuringTheAbortOfItsJobStoresNothing() throws Exception {
    LedgerMessages.JVM.use(
        ledger -> {
          LedgerInbox.JVM.close(ledger.commit());
          return LedgerInbox.JVM.receive(ledger);
        });
    TestSave save = save("aborting", 2);
    assertThatThrownBy(() -> save.runTask(0, 0, "slow")).isInstanceOf(CommitFailedException.class);
    assertThat(leftOf("aborting")).contains("_repave/jobs").doesNotContain("/task-");
  }

  @Test
  void aTaskWhoseJobHasNoSpaceForItsLedgerStoresIt() throws Exception {
    LedgerInbox full = new LedgerInbox(0);
    LedgerMessages.JVM.use(
        ledger -> {
          full.open(ledger.commit());
          return full.receive(ledger);
        });
    TestSave save = save("full", 4);
    save.runTask(0, 0, "zero");
    assertThat(leftOf("full")).contains("/task-");
    save.commit();
    assertThat(leftOf("full")).contains("part-m-00000").doesNotContain("_repave/jobs");
  }

  /** A program may run a job of Hadoop inside an executor, whose messages go to the driver. */
  @Test
  void aTaskWhoseJobIsNotInTheProcessThatGetsItsMessageStoresItsLedger() throws Exception {
    LedgerInbox other = new LedgerInbox(1000);
    LedgerMessages.JVM.use(other::receive);
    TestSave save = save("elsewhere", 3);
    save.runTask(0, 0, "zero");
    assertThat(leftOf("elsewhere")).contains("/task-");
    save.commit();
    assertThat(leftOf("elsewhere")).contains("part-m-00000").doesNotContain("_repave/jobs");
  }
}
