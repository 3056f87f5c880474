package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerInboxTest {
  private final LedgerInbox inbox = new LedgerInbox(10);

  private LedgerAnswer receive(String task, int attempt) {
    return receive("c", task, attempt, 1);
  }

  private LedgerAnswer receive(String commit, String task, int attempt, int bytes) {
    return inbox.receive(new SentLedger(commit, task, attempt, new byte[bytes]));
  }

  @Test
  void aJobTakesLedgersFromItsSetUpUntilItsEndBegins() {
    assertThat(receive("t", 0)).isEqualTo(LedgerAnswer.UNKNOWN);
    inbox.open("c");
    assertThat(receive("t", 0)).isEqualTo(LedgerAnswer.TAKEN);
    assertThat(inbox.close("c")).containsOnlyKeys("t");
    assertThat(receive("u", 0)).isEqualTo(LedgerAnswer.ENDED);
    inbox.forget("c");
    assertThat(receive("u", 0)).isEqualTo(LedgerAnswer.UNKNOWN);
  }

  /** An abort may follow a commit that failed, and needs the same ledgers. */
  @Test
  void aClosedJobStillHasItsLedgers() {
    inbox.open("c");
    receive("t", 0);
    inbox.close("c");
    assertThat(inbox.close("c")).containsOnlyKeys("t");
  }

  /** Spark may allow a second attempt to commit when the executor of the first one is lost. */
  @Test
  void ofTheAttemptsOfATaskTheOneWithTheHighestNumberCounts() {
    inbox.open("c");
    for (int attempt : List.of(2, 10, 9)) {
      assertThat(receive("t", attempt)).isEqualTo(LedgerAnswer.TAKEN);
    }
    assertThat(inbox.close("c").get("t").attempt()).isEqualTo(10);
  }

  @Test
  void theLedgersOfAllJobsTogetherTakeNoMoreThanTheLimit() {
    inbox.open("c");
    inbox.open("d");
    assertThat(receive("c", "t", 0, 4)).isEqualTo(LedgerAnswer.TAKEN);
    assertThat(receive("d", "t", 0, 6)).isEqualTo(LedgerAnswer.TAKEN);
    assertThat(receive("d", "u", 0, 1)).isEqualTo(LedgerAnswer.STORE);
    assertThat(receive("d", "t", 1, 7)).isEqualTo(LedgerAnswer.STORE);
    assertThat(receive("d", "t", 2, 5)).isEqualTo(LedgerAnswer.TAKEN);
    assertThat(receive("d", "u", 0, 1)).isEqualTo(LedgerAnswer.TAKEN);
    // The job still has its ledgers while it commits.
    assertThat(inbox.close("c")).containsOnlyKeys("t");
    assertThat(receive("d", "v", 0, 4)).isEqualTo(LedgerAnswer.STORE);
    inbox.forget("c");
    assertThat(receive("d", "v", 0, 4)).isEqualTo(LedgerAnswer.TAKEN);
    assertThat(receive("d", "w", 0, 1)).isEqualTo(LedgerAnswer.STORE);
  }
}
