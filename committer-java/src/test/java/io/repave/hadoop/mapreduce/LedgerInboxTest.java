package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerInboxTest {
  private final LedgerInbox inbox = new LedgerInbox();

  private LedgerAnswer receive(String task, int attempt) {
    return inbox.receive(new SentLedger("c", task, attempt, new byte[1]));
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
}
