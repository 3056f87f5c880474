package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitResult;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.error.CommitConflictException;
import io.repave.core.record.CommitKind;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which of two jobs on one table commit, and which fails because of the other. */
class ConflictCheckerTest {
  private final TestTable table = new TestTable();

  /** A job that begins before another one commits, and commits after it. */
  private CommitResult late(CommitKind kind, String partition, Unchecked.Action other)
      throws Exception {
    TestJob job = table.job(kind, partition);
    other.run();
    return job.commit();
  }

  @ParameterizedTest
  @CsvSource({
    "DYNAMIC, dt=1, DYNAMIC, dt=1",
    "DYNAMIC, dt=1, APPEND, dt=1",
    "STATIC, dt=1, APPEND, dt=2",
    "STATIC, dt=1, DYNAMIC, dt=2",
    "DYNAMIC, dt=1, STATIC, dt=2",
    "DYNAMIC, dt=1, DYNAMIC, dt=1/hour=2",
    "DYNAMIC, dt=1/hour=2, DYNAMIC, dt=1",
  })
  void aJobThatReplacesAPartitionChangedSinceItBeganFails(
      CommitKind mine, String my, CommitKind others, String other) throws Exception {
    assertThatThrownBy(() -> late(mine, my, () -> table.commit(others, other)))
        .isInstanceOf(CommitConflictException.class);
    assertThat(table.writers()).containsExactly(other + "/commit-000002");
    assertThat(table.head().active()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "DYNAMIC, dt=1, DYNAMIC, dt=10",
    "DYNAMIC, dt=1, APPEND, dt=2",
    "APPEND, dt=1, APPEND, dt=1",
    "APPEND, dt=1, DYNAMIC, dt=1",
    "DYNAMIC, dt=1/hour=1, DYNAMIC, dt=1/hour=10",
  })
  void jobsThatDoNotOverlapBothCommit(CommitKind mine, String my, CommitKind others, String other)
      throws Exception {
    late(mine, my, () -> table.commit(others, other));
    assertThat(table.writers())
        .containsExactlyInAnyOrder(my + "/commit-000001", other + "/commit-000002");
  }

  @Test
  void theLastWriterReplacesWhatItFinds() throws Exception {
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    late(CommitKind.DYNAMIC, "dt=1", () -> table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2"));
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
  }
}
