package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.CommitReport;
import io.repave.core.CommitResult;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A write whose rows were discarded must not look like one that was committed. */
class CommitLogTest {
  private static final String OWN = "6f1c2d3e-0000-4000-8000-000000000001";
  private static final CommitId EARLIER = new CommitId("6f1c2d3e-0000-4000-8000-000000000002", 0);
  private static final WriteTarget TARGET = WriteTarget.of(OWN, "s3a://lake/sales", false);

  private static CommitResult result(CommitId by, Optional<CommitReport> report) {
    return new CommitResult(by, 7, FileTotals.NONE, report);
  }

  @Test
  void aWriteWhoseTokenWasUsedNamesTheCommitThatUsedIt() {
    assertThat(CommitLog.discarded(TARGET, result(EARLIER, Optional.empty())))
        .hasValueSatisfying(
            line ->
                assertThat(line)
                    .contains(OWN, "s3a://lake/sales", "repave.token", EARLIER.id(), "version 7")
                    .contains("a token of its own"));
  }

  @Test
  void aCommitThatAnotherProcessFinishedIsNotDiscarded() {
    CommitId own = new CommitId(OWN, 0);
    CommitReport report =
        new CommitReport(own, CommitKind.APPEND, 7, FileTotals.NONE, Map.of(), Map.of());
    assertThat(CommitLog.discarded(TARGET, result(own, Optional.empty()))).isEmpty();
    assertThat(CommitLog.discarded(TARGET, result(own, Optional.of(report)))).isEmpty();
  }
}
