package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Head;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What {@code adopt} takes into the records of a table that is read by listing. */
class AdoptTest {
  private final Lake lake = new Lake();

  @Test
  void aFileOfAnotherEngineIsTakenIntoTheRecords() throws Exception {
    lake.foreign("dt=1/old.parquet");
    assertThat(lake.table().adopt().totals().adopted()).isEqualTo(1);
    assertThat(recorded()).isEqualTo(lake.files());
  }

  @Test
  void aFileThatIsRecordedAlreadyIsNotRecordedTwice() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    lake.foreign("dt=2/old.parquet");
    assertThat(lake.table().adopt().totals().adopted()).isEqualTo(1);
    assertThat(lake.table().adopt().totals().adopted()).isZero();
    assertThat(recorded()).isEqualTo(lake.files());
    assertThat(snapshot().files()).isEqualTo(3);
  }

  @Test
  void aFileThatIsAdoptedBeforeItsCommitIsPublishedIsNotRecordedTwice() throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND));
    var uploads = lake.upload(job, Set.of("dt=1"));
    // Its Complete lands before anything else of its commit, as one of a zombie's may.
    for (var upload : uploads) {
      lake.store.complete(
          new PendingUpload(
              lake.paths.file(upload.partition(), upload.name()),
              upload.uploadId(),
              upload.bytes(),
              upload.partBytes(),
              upload.etags()));
    }
    lake.table().adopt();
    job.commit(Lake.ledger(uploads));
    assertThat(recorded()).isEqualTo(lake.files());
    assertThat(snapshot().files()).isEqualTo(1);
  }

  @Test
  void whatACatalogDeletedGoesOutOfTheRecords() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    remove("dt=2/");
    lake.foreign("dt=3/other.parquet");
    FileTotals totals = lake.table().adopt().totals();
    assertThat(totals.filesOut()).isEqualTo(1);
    assertThat(totals.adopted()).isEqualTo(1);
    assertThat(recorded()).isEqualTo(lake.files());
  }

  @Test
  void anAdoptionThatDiedIsFinishedWithWhatIsGone() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    remove("dt=2/");
    assertThatThrownBy(() -> lake.dyingAt(Step.PUBLISH).adopt()).isInstanceOf(Lake.Died.class);
    lake.table().recover();
    assertThat(recorded()).isEqualTo(lake.files()).hasSize(1);
  }

  /** Restored from a backup, say, while the adoption runs: it is nobody's to delete. */
  @Test
  void aFileThatCameBackAfterTheListingIsNotDeleted() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    String file = lake.files().iterator().next();
    remove("dt=1/");
    List<String> calls = new ArrayList<>();
    ObjectStore store =
        lake.turning(
            name -> {
              if (!calls.isEmpty() && calls.get(calls.size() - 1).equals("list")) {
                lake.foreign(file);
              }
              calls.add(name);
            });
    lake.through(store).adopt();
    assertThat(lake.files()).containsExactly(file);
    assertThat(recorded()).isEmpty();
  }

  /** What a catalog does for {@code DROP PARTITION}. */
  private void remove(String folder) throws Exception {
    for (String file : lake.files()) {
      if (file.startsWith(folder)) {
        lake.store.delete(List.of(lake.paths.root().resolve(file)));
      }
    }
  }

  private Snapshot snapshot() throws Exception {
    Head head = lake.table().head().orElseThrow();
    return lake.table().snapshot(head, head.version());
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
