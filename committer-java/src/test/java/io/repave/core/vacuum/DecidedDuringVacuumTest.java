package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A job that looked abandoned is decided between vacuum's look at the table and its fence. */
class DecidedDuringVacuumTest {
  private static final long WEEK = 7 * 86_400_000L;

  @ParameterizedTest
  @CsvSource({
    "LISTING, COMPLETE_UPLOADS",
    "LISTING, FINISH",
    "LISTING,",
    "SNAPSHOT, PUBLISH",
    "SNAPSHOT, FINISH",
    "SNAPSHOT,"
  })
  void nothingOfTheCommitIsRemoved(Readers readers, Step death) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    boolean[] sleeps = {true};
    InterceptingStore.Hook sleep =
        (call, at) -> {
          if (call == StoreCall.PUT_IF_MATCH && sleeps[0]) {
            throw ProcessDied.at(Step.RESERVE);
          }
        };
    Table process =
        table.open(
            table
                .process(InterceptingStore.before(table.counted, sleep))
                .progress(TestTable.death(death))
                .ports());
    TestJob job = table.job(process, CommitKind.APPEND, "dt=2");
    assertThatThrownBy(job::commit).isInstanceOf(ProcessDied.class);
    table.clock.advance(WEEK);
    OnceBefore wakesUp =
        new OnceBefore(
            (call, at) -> at.equals(table.paths.cancelled(job.id().id())),
            () -> {
              sleeps[0] = false;
              commit(job, death);
            });

    table.before(wakesUp).vacuum(WEEK / 7);

    assertThat(wakesUp.happened()).isTrue();
    assertThat(table.store.objects())
        .containsKeys(table.paths.uploads(job.id()), table.paths.manifest(job.id()));
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
  }

  private static void commit(TestJob job, Step death) throws Exception {
    try {
      job.commit();
    } catch (ProcessDied died) {
      assertThat(death).isNotNull();
    }
  }
}
