package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerInboxTest {
  private final LedgerInbox inbox = new LedgerInbox();

  @Test
  void aJobTakesLedgersFromItsSetUpUntilItsEndBegins() {
    assertThat(inbox.receive("c", "t", new byte[1])).isEqualTo(LedgerAnswer.UNKNOWN);
    inbox.open("c");
    assertThat(inbox.receive("c", "t", new byte[1])).isEqualTo(LedgerAnswer.TAKEN);
    assertThat(inbox.close("c")).containsOnlyKeys("t");
    assertThat(inbox.receive("c", "u", new byte[1])).isEqualTo(LedgerAnswer.ENDED);
    inbox.forget("c");
    assertThat(inbox.receive("c", "u", new byte[1])).isEqualTo(LedgerAnswer.UNKNOWN);
  }

  /** An abort may follow a commit that failed, and needs the same ledgers. */
  @Test
  void aClosedJobStillHasItsLedgers() {
    inbox.open("c");
    inbox.receive("c", "t", new byte[1]);
    inbox.close("c");
    assertThat(inbox.close("c")).containsOnlyKeys("t");
  }
}
