package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.record.CommitKind;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A vacuum of a listing table writes a checkpoint, and commits write newer ones meanwhile. */
class CheckpointBesideVacuumTest {
  private static final long DAY = 86_400_000;

  private final TestTable table = new TestTable();

  private void days(int days) throws Exception {
    for (int day = 0; day < days; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=" + day % 3);
    }
  }

  @BeforeEach
  void aTableOfThirtyDays() throws Exception {
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    days(30);
  }

  /** The head swaps of the vacuum before which jobs write a checkpoint: its fence is the first. */
  private Table overtaken(int times) {
    int[] swaps = {0};
    int[] left = {times};
    return table.before(
        (call, at) -> {
          if (call == StoreCall.PUT_IF_MATCH && ++swaps[0] > 1 && left[0]-- > 0) {
            Unchecked.run(() -> days(5));
          }
        });
  }

  /** Otherwise the commits that only the newer one names would be missing in the history. */
  @Test
  void aNewerCheckpointIsNotReplacedByTheOneOfTheVacuum() throws Exception {
    int[] swaps = {0};
    OnceBefore commits =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && ++swaps[0] == 2, () -> days(50));
    table.before(commits).vacuum(DAY);
    assertThat(commits.happened()).isTrue();
    assertThat(table.head().checkpointVersion()).isEqualTo(80);
    assertThat(table.head().historyFrom()).isBetween(15L, 25L);
    assertThat(table.history()).hasSize(80 - (int) table.head().historyFrom() + 1);
    table.open().vacuum(DAY);
    assertThat(table.head().historyFrom()).isGreaterThan(60);
    assertThat(table.recorded()).hasSize(3);
  }

  /** Otherwise the history of a table with many commits would never end. */
  @Test
  void aVacuumThatIsOvertakenAgainAndAgainEndsTheHistory() throws Exception {
    overtaken(6).vacuum(DAY);
    assertThat(table.head().version()).isEqualTo(60);
    assertThat(table.head().historyFrom()).isBetween(15L, 25L);
    assertThat(table.history()).hasSize(60 - (int) table.head().historyFrom() + 1);
    assertThat(table.recorded()).containsExactlyInAnyOrderElementsOf(table.writers());
    table.open().vacuum(DAY);
    assertThat(table.recorded()).containsExactlyInAnyOrderElementsOf(table.writers());
  }

  /** Each try reads only what is new since the one before. */
  @Test
  void anotherTryReadsTheManifestsSinceTheLastOne() throws Exception {

    Map<Integer, Long> reads = new TreeMap<>();
    int[] swaps = {0};
    Table process =
        table.before(
            (call, at) -> {
              if (call == StoreCall.PUT_IF_MATCH && ++swaps[0] == 2) {
                Unchecked.run(() -> days(5));
                reads.clear();
              }
              if (call == StoreCall.READ && at.name().startsWith("manifest")) {
                reads.merge(swaps[0], 1L, Long::sum);
              }
            });
    process.vacuum(DAY);
    assertThat(table.head().historyFrom()).isGreaterThan(1);
    assertThat(reads.get(2)).isEqualTo(5);
  }

  /** Its files come from the folders, because records were lost or wrong. */
  @Test
  void aRepairBesideTheVacuumIsNotUndone() throws Exception {
    table.foreign("dt=0/of-another-writer");
    int[] swaps = {0};
    OnceBefore repair =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && ++swaps[0] == 2,
            () -> table.open().repair());
    table.before(repair).vacuum(DAY);
    assertThat(repair.happened()).isTrue();
    assertThat(table.recorded()).contains("dt=0/of-another-writer");
    assertThat(table.head().historyFrom()).isGreaterThan(15);
  }

  @Test
  void aVacuumGivesUpAtLastAndLosesNothing() throws Exception {
    overtaken(100).vacuum(DAY);
    assertThat(table.head().historyFrom()).isZero();
    assertThat(table.history()).hasSize((int) table.head().version());
    assertThat(table.recorded()).containsExactlyInAnyOrderElementsOf(table.writers());
    table.open().vacuum(DAY);
    assertThat(table.head().historyFrom()).isGreaterThan(15);
  }
}
