package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.AdoptionPreview;
import io.repave.core.commit.FolderSize;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.FileTotals;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** {@code adopt} makes the records of a listing table name the files in its folder. */
class AdoptTest {
  private static final String COLD = "s3://cold/sales/dt=9";
  private static final String COLD_8 = "s3://cold/sales/dt=8";

  private final TestTable table = new TestTable();

  @Test
  void aFileOfAnotherEngineIsAddedToTheRecords() throws Exception {
    table.foreign("dt=1/old.parquet");
    assertThat(table.open().adopt().totals().adopted()).isEqualTo(1);
    assertThat(recorded()).isEqualTo(table.files());
  }

  @Test
  void aFolderWithoutRecordsAndDataFilesIsNotMadeATable() throws Exception {
    for (int files = 0; files < 2; files++) {
      assertThatThrownBy(() -> table.open().adopt())
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("There is no data file and no Repave table in s3://lake/sales.");
      for (FollowerKind kind : List.of(FollowerKind.DELTA, FollowerKind.SYMLINK)) {
        assertThatThrownBy(() -> table.open().follow(kind)).hasMessageContaining("Check the path");
      }
      assertThat(table.open().head()).isEmpty();
      table.foreign("_SUCCESS");
    }
    assertThat(table.store.objects()).hasSize(1);
  }

  /** The path is one level too high: all the tables would look like one. */
  @Test
  void aFolderThatHasFilesOfTablesOnlyIsNotMadeATable() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    new TestTable(table, new Location("lake", "stock"), Readers.SNAPSHOT, 100)
        .commit(CommitKind.APPEND, "dt=1");
    for (int number = 0; number < 5000; number++) {
      table.foreign("dt=1/%04d.parquet".formatted(number));
    }
    TestTable lake = new TestTable(table, new Location("lake", ""), Readers.LISTING, 200);
    List<Location> listed = new ArrayList<>();
    Table counting =
        lake.before(
            (call, at) -> {
              if (call == StoreCall.LIST && at.equals(lake.paths.root())) {
                listed.add(at);
              }
            });
    assertRefusesTablesOnly(counting::adopt);
    assertThat(listed).as("the pages of the inner table are skipped").hasSize(3);
    assertRefusesTablesOnly(counting::previewAdoption);
    assertRefusesTablesOnly(() -> counting.follow(FollowerKind.DELTA));
    assertRefusesTablesOnly(() -> counting.follow(FollowerKind.SYMLINK));
    assertThat(lake.open().head()).isEmpty();
    lake.foreign("old/file.parquet");
    assertThat(lake.open().adopt().totals().adopted()).isEqualTo(1);
  }

  private static void assertRefusesTablesOnly(ThrowingCallable command) {
    assertThatThrownBy(command)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(
            "All data files in s3://lake/ belong to tables below it, such as s3://lake/sales."
                + " Nothing was changed. Name the table itself.");
  }

  @Test
  void aDataFileAfterManyHiddenOnesIsFound() throws Exception {
    for (int number = 0; number < 2500; number++) {
      table.foreign("_old/%04d".formatted(number));
    }
    table.store.put(new Location("lake", "sales/"), ByteBuffer.wrap(new byte[] {}));
    table.foreign("dt=1/old.parquet");
    assertThat(table.open().adopt().totals().adopted()).isEqualTo(1);
  }

  @Test
  void aFileThatIsRecordedAlreadyIsNotRecordedTwice() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    table.foreign("dt=2/old.parquet");
    assertThat(table.open().adopt().totals().adopted()).isEqualTo(1);
    assertThat(table.open().adopt().totals().adopted()).isZero();
    assertThat(recorded()).isEqualTo(table.files());
    assertThat(table.recorded()).hasSize(3);
  }

  @Test
  void aFileThatIsAdoptedBeforeItsCommitIsPublishedIsNotRecordedTwice() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    var uploads = table.upload(job, Set.of("dt=1"));
    // Its Complete lands before the rest of its commit, as a request of a paused driver may.
    for (var upload : uploads) {
      table.store.complete(
          new PendingUpload(
              table.paths.file(upload.partition(), upload.name()),
              upload.uploadId(),
              upload.bytes(),
              upload.etags()));
    }
    table.open().adopt();
    job.commit(TestTable.ledger(uploads));
    assertThat(recorded()).isEqualTo(table.files());
    assertThat(table.recorded()).hasSize(1);
  }

  @Test
  void filesThatACatalogDeletedAreRemovedFromTheRecords() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    remove("dt=2/");
    table.foreign("dt=3/other.parquet");
    FileTotals totals = table.open().adopt().totals();
    assertThat(totals.filesOut()).isEqualTo(1);
    assertThat(totals.adopted()).isEqualTo(1);
    assertThat(recorded()).isEqualTo(table.files());
  }

  /** Readers of a Delta log look for a Parquet footer at the end that the recorded size says. */
  @Test
  void aFileThatAnotherWriterReplacedIsRecordedWithItsSize() throws Exception {
    table.foreign("dt=1/data.parquet");
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.open().adopt();
    table.store.put(table.paths.file("dt=1", "data.parquet"), ByteBuffer.wrap(new byte[] {1, 2}));
    assertThat(table.open().adopt().totals().adopted()).isEqualTo(1);
    assertThat(snapshot().files("dt=1"))
        .filteredOn(file -> file.name().equals("data.parquet"))
        .extracting(FileEntry::bytes)
        .containsExactly(2L);
    assertThat(recorded()).isEqualTo(table.files());
    assertThat(table.open().adopt().totals().adopted()).isZero();
  }

  @Test
  void anAdoptionThatDiedIsFinishedWithTheFilesThatAreGone() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    remove("dt=2/");
    assertThatThrownBy(() -> table.dyingAt(Step.PUBLISH).adopt()).isInstanceOf(ProcessDied.class);
    table.open().recover();
    assertThat(recorded()).isEqualTo(table.files()).hasSize(1);
  }

  /**
   * The append may be reverted; then these files are deleted, and the records must not name them.
   */
  @Test
  void filesOfAnUnfinishedAppendAreLeftToIt() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=2");
    table.foreign("dt=3/other.parquet");
    assertThat(table.open().adopt().totals().adopted()).isEqualTo(1);
    assertThat(recorded()).hasSize(2).noneMatch(file -> file.startsWith("dt=2/"));
    table.open().recover();
    assertThat(recorded()).isEqualTo(table.files()).hasSize(3);
  }

  @Test
  void filesOfAnAppendThatIsPublishedDuringTheListingAreLeftToIt() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    OnceBefore append =
        new OnceBefore(
            (call, at) -> call == StoreCall.LIST, () -> table.commit(CommitKind.APPEND, "dt=2"));
    assertThat(table.before(append).adopt().totals().adopted()).isZero();
    assertThat(recorded()).isEqualTo(table.files()).hasSize(2);
  }

  /** Somebody restores the file from a backup while the adoption runs. No commit may delete it. */
  @Test
  void aFileThatReappearsAfterTheListingIsNotDeleted() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    String file = table.files().iterator().next();
    remove("dt=1/");
    List<StoreCall> calls = new ArrayList<>();
    Table restoring =
        table.before(
            (call, at) -> {
              if (!calls.isEmpty() && calls.get(calls.size() - 1) == StoreCall.LIST) {
                table.foreign(file);
              }
              calls.add(call);
            });
    restoring.adopt();
    assertThat(table.files()).containsExactly(file);
    assertThat(recorded()).isEmpty();
  }

  @Test
  void filesThatACatalogDeletedOutsideAreRemovedFromTheRecords() throws Exception {
    List<String> folders = List.of("dt=1", COLD, COLD_8);
    table.commit(table.request(CommitKind.APPEND, "night/1", "app-1"), folders);
    removeOutside("sales/dt=9/");
    CommitRequest again = table.request(CommitKind.APPEND, "night/1", "app-2");
    assertThatThrownBy(() -> table.commit(again, folders))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave adopt");
    FileTotals totals = table.open().adopt().totals();
    assertThat(totals.filesOut()).isEqualTo(1);
    assertThat(totals.adopted()).isZero();
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001", COLD_8 + "/commit-000001");
    assertThat(table.open().adopt().totals().filesOut()).isZero();
    assertThat(
            table.commit(table.request(CommitKind.APPEND, "night/1", "app-3"), folders).by().id())
        .isEqualTo(TestTable.id(1));
  }

  /** Other tables and programs may have files in the same folder. */
  @Test
  void aFileOfAnotherEngineOutsideIsNotAdopted() throws Exception {
    table.commit(CommitKind.APPEND, COLD);
    table.store.put(new Location("cold", "sales/dt=9/old"), ByteBuffer.wrap(new byte[] {1}));
    FileTotals totals = table.open().adopt().totals();
    assertThat(totals.adopted()).isZero();
    assertThat(totals.filesOut()).isZero();
    assertThat(table.recorded()).containsExactly(COLD + "/commit-000001");
  }

  @Test
  void anAdoptionThatCannotListAPartitionOutsideFailsBeforeItIsDecided() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", COLD);
    var before = List.copyOf(table.store.objects().keySet());
    Table blind =
        table.before(
            (call, at) -> {
              if (call == StoreCall.LIST && at.bucket().equals("cold")) {
                throw new StoreException(Kind.DENIED, "no listing of cold");
              }
            });
    assertThatThrownBy(blind::adopt).hasMessageContaining("no listing of cold");
    assertThat(table.store.objects().keySet()).containsExactlyElementsOf(before);
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void aRecoveryFinishesAnAdoptionOfWhatIsGoneOutsideAndDeletesNothing() throws Exception {
    for (Step death : List.of(Step.PLAN, Step.PUBLISH, Step.FINISH)) {
      TestTable own = new TestTable();
      own.commit(CommitKind.APPEND, "dt=1", COLD);
      for (Location at : List.copyOf(own.store.objects().keySet())) {
        if (at.bucket().equals("cold")) {
          own.store.delete(List.of(at));
          assertThatThrownBy(() -> own.dyingAt(death).adopt()).isInstanceOf(ProcessDied.class);
          if (death != Step.PLAN) {
            // It is restored from a backup.
            own.store.put(at, ByteBuffer.wrap(new byte[] {1}));
          }
        }
      }
      int files = own.data().size();
      own.open().recover();
      assertThat(own.recorded()).containsExactly("dt=1/commit-000001");
      assertThat(own.data()).hasSize(files);
    }
  }

  @Test
  void aPreviewTellsWhatAnAdoptionDoes() throws Exception {
    table.foreign("dt=1/old.parquet");
    assertThat(preview()).isEqualTo(new AdoptionPreview(0, List.of(size("dt=1", 1)), 0));
    table.commit(CommitKind.APPEND, "dt=2", "dt=4", COLD);
    table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=5");
    remove("dt=4/");
    removeOutside("sales/dt=9/");
    for (String hidden :
        List.of("_SUCCESS", "dt=1/.a.crc", "_temporary/0/part", "in/_repave/head.json")) {
      table.foreign(hidden);
    }
    table.foreign("in/old.parquet");
    table.foreign("_day=1/old.parquet");
    table.foreign("dt=2/old.parquet");
    table.foreign("old.parquet");
    AdoptionPreview preview = preview();
    List<FolderSize> added =
        List.of(size("", 1), size("_day=1", 1), size("dt=1", 1), size("dt=2", 1));
    assertThat(preview).isEqualTo(new AdoptionPreview(1, added, 2));
    FileTotals totals = table.open().adopt().totals();
    assertThat(totals.adopted()).isEqualTo(4);
    assertThat(totals.filesOut()).isEqualTo(preview.gone());
  }

  @Test
  void aPreviewRefusesWhatAnAdoptionRefuses() throws Exception {
    assertThatThrownBy(() -> table.open().previewAdoption()).hasMessageContaining("Check the path");
    TestTable snapshots = new TestTable(Readers.SNAPSHOT);
    snapshots.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> snapshots.open().previewAdoption())
        .hasMessageContaining("other files in its folder are not published");
  }

  /** A preview changes nothing. */
  private AdoptionPreview preview() throws Exception {
    var before = Map.copyOf(table.store.objects());
    AdoptionPreview preview = table.open().previewAdoption();
    assertThat(table.store.objects()).isEqualTo(before);
    return preview;
  }

  private static FolderSize size(String folder, long files) {
    return new FolderSize(folder, files, files);
  }

  private void removeOutside(String prefix) {
    for (Location at : List.copyOf(table.store.objects().keySet())) {
      if (at.bucket().equals("cold") && at.key().startsWith(prefix)) {
        table.store.delete(List.of(at));
      }
    }
  }

  /** Deletes files, as a catalog does for {@code DROP PARTITION}. */
  private void remove(String folder) throws Exception {
    for (String file : table.files()) {
      if (file.startsWith(folder)) {
        table.store.delete(List.of(table.paths.root().resolve(file)));
      }
    }
  }

  private Snapshot snapshot() throws Exception {
    Head head = table.head();
    return table.open().snapshot(head, head.version());
  }

  private Set<String> recorded() throws Exception {
    Snapshot snapshot = snapshot();
    Set<String> files = new TreeSet<>();
    for (String partition : snapshot.partitions()) {
      snapshot.files(partition).forEach(file -> files.add(partition + "/" + file.name()));
    }
    return files;
  }
}
