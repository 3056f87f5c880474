package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.FolderSize;
import io.repave.core.engine.PartitionBound;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole partitions are removed as one version, which behaves like any overwrite. */
class DropPartitionsTest {
  private static final long FILE = TestTable.id(1).length();

  private final TestTable listing = new TestTable();
  private final TestTable snapshot = new TestTable(Readers.SNAPSHOT);

  private TestTable table(Readers readers) {
    return readers == Readers.LISTING ? listing : snapshot;
  }

  private static PartitionBound before(String column, String value) {
    return new PartitionBound(column, value);
  }

  private static List<String> folders(List<FolderSize> sizes) {
    return sizes.stream().map(FolderSize::folder).toList();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aDropTakesTheNamedPartitionsAndAllInsideThem(Readers readers) throws Exception {
    TestTable table = table(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=1/h=1", "dt=10", "dt=2");
    var result = table.open().drop(List.of("dt=1", "dt=2"), "");
    assertThat(result.totals().filesOut()).isEqualTo(3);
    assertThat(table.recorded()).containsExactly("dt=10/commit-000001");
    assertThat(table.head().active()).isEmpty();
  }

  /** TRUNCATE TABLE of a table without partition columns. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aDropOfTheTableItselfLeavesNoFileInItsVersion(Readers readers) throws Exception {
    TestTable table = table(readers);
    table.commit(CommitKind.APPEND, "");
    table.commit(CommitKind.APPEND, "");
    long before = table.head().version();
    var result = table.open().drop(List.of(""), "");
    assertThat(result.totals().filesOut()).isEqualTo(2);
    assertThat(table.recorded()).isEmpty();
    assertThat(table.head().version()).isEqualTo(before + 1);
    assertThat(table.writers()).hasSize(readers == Readers.LISTING ? 0 : 2);
  }

  @Test
  void aListingTableLosesTheFilesAtOnce() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1", "dt=2");
    listing.foreign("dt=1/another-writers.parquet");
    listing.open().drop(List.of("dt=1"), "");
    assertThat(listing.writers()).containsExactly("dt=2/commit-000001");
  }

  @Test
  void aSnapshotTableIsRolledBackUntilVacuum() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=1", "dt=2");
    long before = snapshot.head().version();
    snapshot.open().drop(List.of("dt=1"), "");
    assertThat(snapshot.recorded()).containsExactly("dt=2/commit-000001");
    snapshot.open().rollback(before);
    assertThat(snapshot.recorded()).containsExactly("dt=1/commit-000001", "dt=2/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void sizesAreThoseOfTheFoldersAndOfNoFileTwice(Readers readers) throws Exception {
    TestTable table = table(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=1/h=1", "dt=10");
    assertThat(table.open().sizes(List.of("dt=1/h=1", "dt=1", "dt=3")))
        .containsExactly(new FolderSize("dt=1", 2, 2 * FILE), new FolderSize("dt=3", 0, 0));
  }

  @Test
  void thousandsOfPartitionsAreOneVersion() throws Exception {
    String[] partitions =
        IntStream.range(0, 5_000).mapToObj("dt=%d"::formatted).toArray(String[]::new);
    snapshot.commit(CommitKind.APPEND, partitions);
    long before = snapshot.head().version();
    List<FolderSize> sizes = snapshot.open().sizes(List.of(partitions));
    assertThat(sizes).hasSize(5_000).allMatch(it -> it.files() == 1);
    snapshot.open().drop(folders(sizes), "");
    assertThat(snapshot.head().version()).isEqualTo(before + 1);
    assertThat(snapshot.recorded()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void wholeNumbersCompareAsNumbersAndNullsAreNeverBefore(Readers readers) throws Exception {
    TestTable table = table(readers);
    table.commit(
        CommitKind.APPEND, "y=9/m=1", "y=9/m=2", "y=10/m=1", "y=__HIVE_DEFAULT_PARTITION__/m=1");
    assertThat(table.open().sizes(before("y", "10")))
        .containsExactly(new FolderSize("y=9", 2, 2 * FILE));
    assertThat(folders(table.open().sizes(before("m", "2"))))
        .containsExactly("y=10/m=1", "y=9/m=1", "y=__HIVE_DEFAULT_PARTITION__/m=1");
  }

  @Test
  void datesCompareAsTextAndEscapesAreRead() throws Exception {
    snapshot.commit(
        CommitKind.APPEND,
        "dt=2025-12-31",
        "dt=2026-01-01",
        "dt=2025-12-31 23%3A59",
        "DT=2024-01-01");
    assertThat(folders(snapshot.open().sizes(before("dt", "2026-01-01"))))
        .containsExactly("DT=2024-01-01", "dt=2025-12-31", "dt=2025-12-31 23%3A59");
  }

  @Test
  void aNumberIsNotComparedWithAText() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=20260101", "dt=2026-01-01");
    for (String value : List.of("20270101", "2027-01-01")) {
      assertThatThrownBy(() -> snapshot.open().sizes(before("dt", value)))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("cannot be compared with dt=" + value)
          .hasMessageContaining("Nothing was dropped");
    }
  }

  /** As text, 2025-01-05 is before 2025-1-1: its rows would be lost. */
  @Test
  void aDateOfAnotherFormIsNotCompared() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=2024-12-31", "dt=2025-01-05");
    for (String value : List.of("2025-1-1", "2025-1", "2025-001-01", "2025-01-5")) {
      assertThatThrownBy(() -> snapshot.open().sizes(before("dt", value)))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("dt=2025-01-05 cannot be compared with dt=" + value)
          .hasMessageContaining("more digits")
          .hasMessageContaining("Nothing was dropped");
    }
    for (String value : List.of("2025-01-05", "2025-01", "2025-01-04 23:59:59")) {
      assertThat(folders(snapshot.open().sizes(before("dt", value))))
          .as(value)
          .containsExactly("dt=2024-12-31");
    }
  }

  /** As numbers, every month is before every day, and every year before every month. */
  @Test
  void datesOfDifferentLengthThatAreWholeNumbersAreNotCompared() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=202512", "dt=202411");
    for (String value : List.of("20250115", "2025011500", "2025")) {
      assertThatThrownBy(() -> snapshot.open().sizes(before("dt", value)))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("more digits");
    }
    assertThat(folders(snapshot.open().sizes(before("dt", "202501")))).containsExactly("dt=202411");
    for (String value : List.of("999999", "2000000", "20251399")) {
      assertThat(folders(snapshot.open().sizes(before("dt", value)))).as(value).hasSize(2);
    }
  }

  /** The day's rows may be from after that time of the day. */
  @Test
  void aPartitionWhoseValueIsTheBeginningOfTheBoundIsNotDropped() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=2025-01-05");
    for (String value : List.of("2025-01-05 00:00:00", "2025-01-05T00:00:00", "2025-01-05 ")) {
      assertThatThrownBy(() -> snapshot.open().sizes(before("dt", value)))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("dt=2025-01-05 cannot be compared with dt=" + value)
          .hasMessageContaining("Nothing was dropped");
    }
  }

  @Test
  void negativeNumbersThatAreNotWholeAreNotCompared() throws Exception {
    snapshot.commit(CommitKind.APPEND, "x=-1.5");
    assertThatThrownBy(() -> snapshot.open().sizes(before("x", "-2.5")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("not both whole numbers");
  }

  @Test
  void aColumnThatNoPartitionHasIsRefused() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> snapshot.open().sizes(before("day", "2")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("has no partition column day. One of its partitions is dt=1.");
    snapshot.open().drop(List.of("dt=1"), "");
    assertThat(snapshot.open().sizes(before("day", "2"))).isEmpty();
  }

  @Test
  void aPathThatIsNoTableStaysAsItIs() throws Exception {
    listing.foreign("dt=1/another-writers.parquet");
    var objects = listing.store.objects().keySet();
    assertThatThrownBy(() -> listing.open().sizes(List.of("dt=1")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave adopt");
    assertThatThrownBy(() -> listing.open().drop(List.of("dt=1"), ""))
        .isInstanceOf(InvalidConfigException.class);
    assertThat(listing.store.objects().keySet()).isEqualTo(objects);
  }

  @Test
  void aTableInsideTheFolderKeepsItsPartitions() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1");
    TestTable inner =
        new TestTable(listing, new Location("lake", "sales/inner"), Readers.LISTING, 100);
    inner.commit(CommitKind.APPEND, "dt=1");
    assertThat(folders(listing.open().sizes(before("dt", "2")))).containsExactly("dt=1");
    listing.open().drop(List.of("dt=1"), "");
    assertThat(inner.recorded()).hasSize(1);
  }

  @Test
  void aFolderThatContainsAnotherTableIsNotDropped() throws Exception {
    listing.commit(CommitKind.APPEND, "region=eu/dt=1");
    TestTable inner =
        new TestTable(listing, new Location("lake", "sales/region=eu/old"), Readers.LISTING, 100);
    inner.commit(CommitKind.APPEND, "dt=1");
    String message = "sales/region=eu/old is inside the partition region=eu";
    assertThatThrownBy(() -> listing.open().sizes(List.of("region=eu")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(message);
    assertThatThrownBy(() -> listing.open().sizes(before("region", "fr")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(message);
    assertThat(folders(listing.open().sizes(before("dt", "2")))).containsExactly("region=eu/dt=1");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void rowsOfADeadDriverDoNotComeBack(Readers readers) throws Exception {
    TestTable table = table(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    table.clock.advance(120_000);
    table.open().drop(List.of("dt=1"), "");
    table.open().recover();
    assertThat(table.recorded()).containsExactly("dt=2/commit-000001");
  }
}
