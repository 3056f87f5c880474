package io.repave;

import static io.repave.testing.DailyCommits.DAY;
import static io.repave.testing.DailyCommits.DAYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.DailyCommits;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A vacuum that ends the history, or a commit, meets each request of a reader. */
class ReadsBesideVacuumTest {
  private static final int CALLS = 15;

  private int calls;

  static Stream<Arguments> cases() {
    return Stream.of(Readers.values())
        .flatMap(
            readers ->
                IntStream.rangeClosed(1, CALLS).mapToObj(call -> Arguments.of(readers, call)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theHistoryHasNoGap(Readers readers, int call) throws Exception {
    TestTable table = DailyCommits.table(readers);
    long newest = table.head().version();
    List<Long> versions = versions(beside(table, call, () -> table.open().vacuum(DAY)));
    long oldest = newest + 1 - versions.size();
    assertThat(oldest).isIn(1L, table.head().historyFrom());
    assertThat(versions)
        .isEqualTo(
            LongStream.rangeClosed(oldest, newest)
                .map(version -> newest + oldest - version)
                .boxed()
                .toList());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theHistoryIsInOrderBesideCommits(Readers readers, int call) throws Exception {
    TestTable table = DailyCommits.table(readers);
    List<Long> versions =
        versions(beside(table, call, () -> table.commit(CommitKind.APPEND, "dt=9")));
    assertThat(versions).isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(versions).contains(1L, (long) DAYS);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void anOldVersionIsReadOrNotRecordedAnyMore(Readers readers, int call) throws Exception {
    TestTable table = DailyCommits.table(readers);
    RepaveTable reader = beside(table, call, () -> table.open().vacuum(DAY));
    assertReadOrRefused(
        () -> assertThat(reader.manifest(2).version()).isEqualTo(2),
        "has no record of version 2 any more");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theFilesOfAnOldVersionAreReadOrVacuumed(Readers readers, int call) throws Exception {
    TestTable table = DailyCommits.table(readers);
    long version = readers == Readers.LISTING ? DAYS : 7;
    RepaveTable reader = beside(table, call, () -> table.open().vacuum(DAY));
    assertReadOrRefused(
        () -> assertThat(reader.files(version).partitions()).hasSize(3), "they were vacuumed");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theVersionOfAMomentIsFoundOrNotRecordedAnyMore(Readers readers, int call) throws Exception {
    TestTable table = DailyCommits.table(readers);
    Instant moment = Instant.ofEpochMilli(table.clock.wallMillis() - (DAYS - 5) * DAY);
    long expected = OpenedTables.over("t", table.open()).versionAt(moment);
    RepaveTable reader = beside(table, call, () -> table.open().vacuum(DAY));
    assertReadOrRefused(
        () -> assertThat(reader.versionAt(moment)).isEqualTo(expected),
        "vacuum removes what is older");
  }

  private static void assertReadOrRefused(Unchecked.Action read, String refusal) throws Exception {
    try {
      read.run();
    } catch (InvalidConfigException gone) {
      assertThat(gone).hasMessageContaining(refusal);
    }
  }

  private RepaveTable beside(TestTable table, int call, Unchecked.Action other) throws Exception {
    OnceBefore before = new OnceBefore((kind, at) -> ++calls == call, other);
    return OpenedTables.over(
        "s3a://lake/sales",
        table.open(table.process(InterceptingStore.before(table.counted, before)).ports()));
  }

  private static List<Long> versions(RepaveTable reader) throws Exception {
    return reader.history().stream().map(HistoryEntry::version).toList();
  }
}
