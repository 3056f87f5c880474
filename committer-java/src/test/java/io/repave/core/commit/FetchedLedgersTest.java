package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.DeliveryGuards;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskBytes;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commits whose tasks have stored more ledgers than fit into the driver's memory. */
class FetchedLedgersTest {
  private static final DeliveryGuards GUARDS =
      new DeliveryGuards(List.of("dt=1", "dt=2"), BigDecimal.ZERO);

  private TestTable table = new TestTable();
  private final List<Integer> fetched = new ArrayList<>();

  /** One task for each upload. None of their ledgers stays in memory. */
  private Ledger fetched(List<Upload> uploads) throws Exception {
    List<TaskBytes> tasks = new ArrayList<>();
    for (int i = 0; i < uploads.size(); i++) {
      int task = i;
      byte[] bytes = TestTable.taskLedger(uploads.subList(i, i + 1));
      tasks.add(
          () -> {
            fetched.add(task);
            return bytes;
          });
    }
    return TaskLedgers.fetched(tasks, 0);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void eachLedgerIsFetchedTwiceHoweverManyStepsUseIt(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=3");
    CommitRequest request = table.request(CommitKind.DYNAMIC).guardedBy(GUARDS);
    WriteTransaction job = table.open().begin(request);

    job.commit(fetched(table.upload(job, List.of("dt=1", "dt=2", "dt=1"))));

    assertThat(fetched).containsExactly(0, 1, 2, 0, 1, 2);
    assertThat(table.writers())
        .contains("dt=1/commit-000002", "dt=2/commit-000002", "dt=3/commit-000001");
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(
            "dt=1/commit-000002", "dt=1/commit-000002", "dt=2/commit-000002", "dt=3/commit-000001");
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void aGuardSeesTheirFiles() throws Exception {
    CommitRequest request = table.request(CommitKind.APPEND).guardedBy(GUARDS);
    WriteTransaction job = table.open().begin(request);
    Ledger ledger = fetched(table.upload(job, List.of("dt=1", "dt=7")));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("dt=7");
    assertThat(job.abort(ledger)).isTrue();
    assertThat(table.store.objects()).isEmpty();
    assertThat(table.store.openUploads()).isEmpty();
  }
}
