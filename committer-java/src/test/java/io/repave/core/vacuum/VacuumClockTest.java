package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A vacuum counts a retention back from its machine's clock, so it checks that clock first. */
class VacuumClockTest {
  private static final long HOUR = 3_600_000;
  private static final long DAY = 24 * HOUR;

  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  /** The table in a process on a machine with another clock. */
  private Table aheadBy(ObjectStore store, long millis) {
    VirtualClock machine = new VirtualClock();
    machine.advance(table.clock.tickMillis() + millis);
    return table.open(table.process(store).clock(machine).ports());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000, 5 * DAY})
  void aVacuumWithAClockThatIsAheadIsRefused(long ageOfTheHead) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob running = table.job(CommitKind.APPEND, "dt=2");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(ageOfTheHead);
    var before = Map.copyOf(table.store.objects());
    Table vacuuming = aheadBy(table.counted, 30 * DAY);
    for (boolean isDryRun : new boolean[] {true, false}) {
      assertThatThrownBy(
              () -> {
                if (isDryRun) {
                  vacuuming.vacuumDryRun(7 * DAY);
                } else {
                  vacuuming.vacuum(7 * DAY);
                }
              })
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("30 days ahead of the store's clock")
          .hasMessageContaining("Nothing was deleted");
      assertThat(table.store.objects()).isEqualTo(before);
    }
    running.commit();
    assertThat(table.writers()).containsAll(table.recorded());
  }

  @Test
  void anHourIsAllowed() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.clock.advance(DAY);
    aheadBy(table.counted, HOUR).vacuum(7 * DAY);
    assertThatThrownBy(() -> aheadBy(table.counted, HOUR + 1_000).vacuum(7 * DAY))
        .isInstanceOf(InvalidConfigException.class);
  }

  /** Its files only stay longer. */
  @Test
  void aClockThatIsBehindIsAllowed() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.clock.advance(10 * DAY);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(aheadBy(table.counted, -9 * DAY).vacuum(7 * DAY).files()).isZero();
  }

  /** With SDK 1, and behind servers that send no date. */
  @Test
  void aStoreThatTellsNoTimeIsVacuumedByTheMachinesClock() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(10 * DAY);
    ObjectStore silent =
        new InterceptingStore(table.counted) {
          @Override
          public Optional<ListedObject> head(Location at) throws StoreException {
            return super.head(at)
                .map(
                    it ->
                        new ListedObject(
                            it.key(),
                            it.bytes(),
                            it.etag(),
                            it.modifiedMillis(),
                            ListedObject.UNKNOWN_AGE));
          }
        };
    assertThat(aheadBy(silent, 30 * DAY).vacuum(7 * DAY).files()).isEqualTo(1);
  }

  @Test
  void theCheckIsOneHead() throws Exception {
    for (Readers readers : Readers.values()) {
      TestTable fresh = new TestTable(readers);
      fresh.commit(CommitKind.APPEND, "dt=1");
      List<Location> heads = new ArrayList<>();
      fresh
          .before(
              (call, at) -> {
                if (call == StoreCall.HEAD) {
                  heads.add(at);
                }
              })
          .vacuum(7 * DAY);
      assertThat(heads).containsExactly(fresh.paths.head());
    }
  }
}
