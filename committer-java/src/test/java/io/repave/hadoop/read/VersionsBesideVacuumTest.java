package io.repave.hadoop.read;

import static io.repave.testing.DailyCommits.DAY;
import static io.repave.testing.DailyCommits.DAYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Ports;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Readers;
import io.repave.testing.DailyCommits;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.TestTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A query of an old version through {@code repave://} meets a vacuum that ends the history. */
class VersionsBesideVacuumTest {

  private int calls;

  static IntStream calls() {
    return IntStream.rangeClosed(1, 15);
  }

  @ParameterizedTest
  @MethodSource("calls")
  void theFilesAreFoundOrTheVersionIsNotKept(int call) throws Exception {
    TestTable table = DailyCommits.table(Readers.SNAPSHOT);
    TableState state = besideVacuum(table, call);
    try {
      Optional<SnapshotFiles> found = state.files(7, List.of(""), Long.MAX_VALUE);
      assertThat(found.orElseThrow().below("")).hasSize(3);
    } catch (InvalidConfigException gone) {
      assertThat(gone).hasMessageContaining("not version 7");
    }
  }

  @ParameterizedTest
  @MethodSource("calls")
  void theVersionOfAMomentIsFoundOrNotRecorded(int call) throws Exception {
    TestTable table = DailyCommits.table(Readers.SNAPSHOT);
    Instant moment = Instant.ofEpochMilli(table.clock.wallMillis() - (DAYS - 5) * DAY);
    long expected = records(table, table.process().ports()).versionAt(moment);
    TableState state = besideVacuum(table, call);
    try {
      assertThat(state.versionAt(moment)).isEqualTo(expected);
    } catch (Exception gone) {
      assertThat(gone).hasMessageContaining("vacuum removes what is older");
    }
  }

  private TableState besideVacuum(TestTable table, int call) throws Exception {
    OnceBefore vacuum =
        new OnceBefore((kind, at) -> ++calls == call, () -> table.open().vacuum(DAY));
    return records(table, table.process(InterceptingStore.before(table.counted, vacuum)).ports());
  }

  private static TableState records(TestTable table, Ports ports) throws Exception {
    return new EngineRecords(ports, table.settings()).find(table.paths.root()).orElseThrow();
  }
}
