package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.vacuum.VacuumReport;
import io.repave.testing.FakeCatalog;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A table inside the folder of another table. Each has its own records. */
class InnerTablesTest {
  private static final long HOUR = 3_600_000;

  @ParameterizedTest
  @CsvSource({
    "sales, sales/archive, SNAPSHOT, SNAPSHOT",
    "sales, sales/archive, SNAPSHOT, LISTING",
    "sales, sales/archive, LISTING, SNAPSHOT",
    "sales, sales/dt=1/archive/old, SNAPSHOT, SNAPSHOT",
    "'', sales, SNAPSHOT, SNAPSHOT",
  })
  void aVacuumRemovesNothingFromTheInnerTable(
      String around, String inside, Readers readersAround, Readers readersInside) throws Exception {
    TestTable outer = new TestTable(new Location("lake", around));
    outer.configure(it -> it.readers(readersAround));
    outer.commit(CommitKind.APPEND, "dt=1");
    TestTable inner = new TestTable(outer, new Location("lake", inside), readersInside, 100);
    inner.commit(CommitKind.APPEND, "dt=1");
    inner.commit(CommitKind.DYNAMIC, "dt=1", "");
    TestJob slow = inner.job(CommitKind.DYNAMIC, "dt=2");
    inner.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=3");
    outer.clock.advance(10 * HOUR);
    Map<String, String> before = inner.data();
    int uploads = inner.store.openUploads().size();

    VacuumReport report = outer.open().vacuum(HOUR);

    assertThat(report.files() + report.uploads()).isZero();
    assertThat(inner.data()).isEqualTo(before);
    assertThat(inner.store.openUploads()).hasSize(uploads);
    inner.open().recover();
    slow.commit();
    assertThat(inner.recorded())
        .containsExactly(
            "/commit-000101", "dt=1/commit-000101", "dt=2/commit-000102", "dt=3/commit-000103");
    assertThat(inner.writers()).containsAll(inner.recorded());
  }

  /** Each commit has a folder in each partition, which is not that of a table. */
  @Test
  void aVacuumListsNoFolderOfACommitToFindTables() throws Exception {
    assertThat(listsOfAVacuum(50)).isEqualTo(listsOfAVacuum(1));
  }

  private static long listsOfAVacuum(int partitions) throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    List<String> all = IntStream.range(0, partitions).mapToObj(i -> "dt=" + i).toList();
    table.commit(table.request(CommitKind.APPEND), all);
    table.open().followBy(FollowerKind.METASTORE, "lake.sales");
    FakeCatalog catalog = new FakeCatalog();
    table.open().move(FollowerKind.METASTORE, catalog);
    for (int overwrite = 0; overwrite < 2; overwrite++) {
      table.commit(table.request(CommitKind.DYNAMIC), all);
      table.open().move(FollowerKind.METASTORE, catalog);
    }
    table.clock.advance(HOUR);
    long before = table.counted.counts().getOrDefault(Request.LIST, 0L);
    assertThat(table.open().vacuum(0).files()).isEqualTo(2L * partitions);
    return table.counted.counts().get(Request.LIST) - before;
  }

  /** A job that writes a day's folder, as before the table around it had records. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void noTableBeginsOverFilesThatASnapshotTableAroundItHas(Readers readers) throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.foreign("2026/11/22/dt=1/old.parquet");
    outer.foreign("2026/11/23/empty/_x");
    outer.commit(CommitKind.APPEND, "dt=1");
    Map<String, String> before = outer.data();
    for (String inside : List.of("2026/11/22", "2026/11", "2026")) {
      TestTable inner = new TestTable(outer, new Location("lake", "sales/" + inside), readers, 100);
      for (CommitKind kind : List.of(CommitKind.STATIC, CommitKind.APPEND)) {
        assertDoesNotBegin(inner, kind);
      }
      assertThatThrownBy(() -> inner.open().adopt()).isInstanceOf(InvalidConfigException.class);
    }
    assertThat(outer.data()).isEqualTo(before);
    TestTable next = new TestTable(outer, new Location("lake", "sales/2026/11/23"), readers, 200);
    next.foreign("a.parquet");
    next.commit(CommitKind.APPEND, "");
    assertThat(outer.recorded()).hasSize(2);
  }

  /** The table around it begins, and adopts the folder's file, while the job's tasks run. */
  @Test
  void aTableAroundAJobsFolderThatBeginsMeanwhileKeepsItsFiles() throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.foreign("2026/11/22/old.parquet");
    TestTable inner = inside(outer, Readers.LISTING);
    TestJob job = inner.job(CommitKind.DYNAMIC, "");
    outer.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(job::commit)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("s3://lake/sales/2026/11/22 has files of the table");
    assertThat(outer.writers()).containsAll(outer.recorded());
    assertThat(inner.open().head()).isEmpty();
  }

  /** The folder is empty when the job begins. */
  @Test
  void aTableAroundAJobsFolderThatWritesThereMeanwhileKeepsItsFiles() throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.commit(CommitKind.APPEND, "dt=1");
    TestTable inner = inside(outer, Readers.LISTING);
    TestJob job = inner.job(CommitKind.DYNAMIC, "");
    outer.commit(CommitKind.APPEND, "2026/11/22");
    assertThatThrownBy(job::commit).isInstanceOf(InvalidConfigException.class);
    assertThat(outer.writers()).containsAll(outer.recorded());
  }

  /** The records of followers name them. */
  @Test
  void noTableBeginsOverFilesThatAFollowedTableAroundItHas() throws Exception {
    TestTable outer = new TestTable(Readers.LISTING);
    outer.foreign("2026/11/22/old.parquet");
    outer.commit(CommitKind.APPEND, "dt=1");
    TestTable inner = inside(outer, Readers.LISTING);
    TestTable elsewhere =
        new TestTable(outer, new Location("lake", "sales/2026/11/23"), Readers.LISTING, 200);
    outer.open().follow(FollowerKind.SYMLINK);
    assertDoesNotBegin(inner, CommitKind.DYNAMIC);
    assertBegins(elsewhere);
    outer.open().unfollow(FollowerKind.SYMLINK);
    assertBegins(inner);
  }

  /** The new table would adopt them. */
  @Test
  void noTableBeginsOverReplacedFilesWhileAVacuumDeletesThem() throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.foreign("2026/11/22/old.parquet");
    outer.commit(CommitKind.APPEND, "dt=1");
    outer.commit(CommitKind.STATIC, "dt=2");
    outer.clock.advance(10 * HOUR);
    TestTable inner = inside(outer, Readers.SNAPSHOT);
    OnceBefore begins =
        new OnceBefore(
            (call, at) -> call == StoreCall.DELETE && at.key().endsWith("old.parquet"),
            () -> assertDoesNotBegin(inner, CommitKind.APPEND));
    outer.before(begins).vacuum(HOUR);
    assertThat(begins.happened()).isTrue();
    assertBegins(inner);
  }

  /** A rollback needs them. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void noTableBeginsOverReplacedFilesUntilTheirVacuum(Readers readers) throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.foreign("2026/11/21/old.parquet");
    outer.commit(CommitKind.APPEND, "2026/11/22", "dt=1");
    outer.commit(CommitKind.STATIC, "dt=2");
    for (String day : List.of("2026/11/21", "2026/11/22")) {
      TestTable inner = new TestTable(outer, new Location("lake", "sales/" + day), readers, 100);
      assertDoesNotBegin(inner, CommitKind.DYNAMIC);
    }
    outer.open().rollback(2);
    assertThat(outer.writers()).containsAll(outer.recorded());
    outer.commit(CommitKind.STATIC, "dt=2");
    outer.clock.advance(10 * HOUR);
    outer.open().vacuum(HOUR);
    assertBegins(inside(outer, readers));
  }

  /** Its files are there before a version names them. */
  @Test
  void noTableBeginsWhereAnUnfinishedCommitWrites() throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.commit(CommitKind.APPEND, "dt=1");
    outer.unfinished(Step.PUBLISH, CommitKind.APPEND, "2026/11/22");
    assertDoesNotBegin(inside(outer, Readers.LISTING), CommitKind.DYNAMIC);
    outer.open().recover();
    assertThat(outer.writers()).containsAll(outer.recorded());
  }

  /** Its uploads are open, so the folder is empty. */
  @Test
  void noTableBeginsWhereAnUnfinishedCommitUploads() throws Exception {
    TestTable outer = new TestTable(Readers.LISTING);
    outer.commit(CommitKind.APPEND, "dt=1");
    outer.open().follow(FollowerKind.SYMLINK);
    outer.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "2026/11/22");
    assertDoesNotBegin(inside(outer, Readers.LISTING), CommitKind.DYNAMIC);
    outer.open().recover();
    assertThat(outer.recorded()).contains("2026/11/22/commit-000002");
  }

  /** In the head, a commit of many partitions or of none may touch everything. */
  @Test
  void aTableBeginsBesideAnUnfinishedCommitOfTheTableAroundItElsewhere() throws Exception {
    String[] many =
        IntStream.range(0, 40).mapToObj("dt=2026-11-%02d"::formatted).toArray(String[]::new);
    for (String[] written : List.of(new String[] {""}, many, new String[] {})) {
      TestTable outer = new TestTable(Readers.SNAPSHOT);
      outer.commit(CommitKind.APPEND, "dt=1");
      outer.unfinished(Step.PUBLISH, CommitKind.APPEND, written);
      assertBegins(inside(outer, Readers.LISTING));
    }
  }

  /** After a vacuum, only the records of the oldest version name them. */
  @Test
  void noTableBeginsOverFilesThatTheOldestKeptVersionHas() throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.commit(CommitKind.APPEND, "2026/11/22", "dt=1");
    outer.commit(CommitKind.DYNAMIC, "dt=1");
    outer.clock.advance(10 * HOUR);
    outer.open().vacuum(HOUR);
    assertThat(outer.head().oldestVersion()).isEqualTo(outer.head().version());
    assertDoesNotBegin(inside(outer, Readers.LISTING), CommitKind.APPEND);
  }

  private static TestTable inside(TestTable outer, Readers readers) {
    return new TestTable(outer, new Location("lake", "sales/2026/11/22"), readers, 100);
  }

  private static void assertDoesNotBegin(TestTable inner, CommitKind kind) {
    assertThatThrownBy(() -> inner.open().begin(inner.request(kind)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(inner.paths.root() + " has files of the table")
        .hasMessageContaining("an unfinished commit of that table writes there")
        .hasMessageContaining("Nothing was written");
  }

  private static void assertBegins(TestTable inner) throws Exception {
    inner.foreign("new.parquet");
    inner.commit(CommitKind.DYNAMIC, "");
    assertThat(inner.recorded()).hasSize(1);
  }

  /** Its folder may be all that the job may read. */
  @Test
  void aTableBeginsWhereTheFolderAboveMayNotBeRead() throws Exception {
    TestTable table = new TestTable();
    table.foreign("old.parquet");
    Table denied =
        table.before(
            (call, at) -> {
              if (!at.equals(table.paths.root()) && !table.paths.root().holds(at)) {
                throw new StoreException(Kind.DENIED, "403");
              }
            });
    table.job(denied, CommitKind.APPEND, "dt=1").commit();
    assertThat(table.recorded()).hasSize(1);
  }

  /** An operator may be about to restore it. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aVacuumRemovesNothingFromAnInnerTableWhoseHeadIsMissing(Readers readers) throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.commit(CommitKind.APPEND, "dt=1");
    TestTable inner = new TestTable(outer, new Location("lake", "sales/archive"), readers, 100);
    inner.commit(CommitKind.APPEND, "dt=1");
    TestJob slow = inner.job(CommitKind.DYNAMIC, "dt=2");
    byte[] head = inner.content(inner.paths.head());
    outer.store.delete(List.of(inner.paths.head()));
    outer.clock.advance(10 * HOUR);
    VacuumReport report = outer.open().vacuum(HOUR);
    assertThat(report.files() + report.uploads()).isZero();
    inner.store.put(inner.paths.head(), ByteBuffer.wrap(head));
    slow.commit();
    assertThat(inner.writers()).containsExactly("dt=1/commit-000100", "dt=2/commit-000101");
  }

  /** Its owner stopped using Repave and deleted the records, or the files are a copy. */
  @ParameterizedTest
  @CsvSource({
    "archive, LISTING, dt=1",
    "archive, SNAPSHOT, dt=1",
    "archive, LISTING, zone=1",
    "dt=1/archive/old, LISTING, dt=1",
    "dt=1/archive, LISTING, dt=1/archive2",
    "named/archive, LISTING, named/outputs",
  })
  void aVacuumRemovesNothingFromAFormerInnerTable(String inside, Readers readers, String partition)
      throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.commit(CommitKind.APPEND, partition);
    Location root = outer.paths.root().resolve(inside);
    TestTable inner = new TestTable(outer, root, readers, 100);
    inner.commit(CommitKind.APPEND, "dt=1", "");
    Map<String, String> before = outer.data();
    inner.store.delete(
        inner.store.objects().keySet().stream()
            .filter(at -> inner.paths.records().holds(at))
            .toList());
    outer.clock.advance(10 * HOUR);
    assertThat(outer.open().vacuum(HOUR).files()).isZero();
    assertThat(outer.data()).isEqualTo(before);
  }

  /** A recorded file below a folder shows that the folder is this table's own. */
  @ParameterizedTest
  @ValueSource(strings = {"named/a", "named/z", "named/a/dt=1"})
  void aVacuumRemovesOrphansAboveRecordedFiles(String recorded) throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, recorded);
    WriteTransaction dead = table.open().begin(table.request(CommitKind.APPEND));
    table.upload(dead, List.of("named", "named/dt=2"));
    table.clock.advance(10 * HOUR);
    assertThat(table.open().vacuum(HOUR).files()).isEqualTo(2);
    assertThat(table.writers()).containsExactly(recorded + "/commit-000001");
  }

  /**
   * The inner table deletes the files that it replaces, so they must not be live in the outer one.
   */
  @Test
  void theFilesOfTheInnerTableAreNotAdopted() throws Exception {
    TestTable outer = new TestTable(Readers.SNAPSHOT);
    outer.foreign("dt=1/old.parquet");
    outer.foreign("plain/old.parquet");
    TestTable inner =
        new TestTable(outer, new Location("lake", "sales/archive"), Readers.LISTING, 100);
    inner.commit(CommitKind.APPEND, "dt=1", "");
    outer.commit(CommitKind.APPEND, "dt=2");
    inner.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(outer.recorded())
        .containsExactly("dt=1/old.parquet", "dt=2/commit-000001", "plain/old.parquet");
    assertThat(outer.writers()).containsAll(outer.recorded());
  }

  @Test
  void anAdoptionOfAListingTableLeavesOutTheInnerTable() throws Exception {
    TestTable outer = new TestTable(Readers.LISTING);
    outer.commit(CommitKind.APPEND, "dt=1");
    outer.foreign("plain/new.parquet");
    TestTable inner =
        new TestTable(outer, new Location("lake", "sales/archive"), Readers.LISTING, 100);
    inner.commit(CommitKind.APPEND, "dt=1", "");
    outer.open().adopt();
    assertThat(outer.recorded()).containsExactly("dt=1/commit-000001", "plain/new.parquet");
  }

  /** Files in a folder that is neither a partition nor a table belong to this table. */
  @ParameterizedTest
  @CsvSource({"SNAPSHOT", "LISTING"})
  void aVacuumRemovesOrphansInAFolderWithoutATable(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "named/outputs");
    WriteTransaction dead = table.open().begin(table.request(CommitKind.APPEND));
    table.upload(dead, List.of("named/outputs", "dt=1"));
    table.clock.advance(10 * HOUR);
    VacuumReport report = table.open().vacuum(HOUR);
    assertThat(report.files() + report.uploads()).isEqualTo(2);
    assertThat(table.writers()).containsExactly("named/outputs/commit-000001");
  }
}
