package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.step.Snapshot;
import io.repave.core.store.PendingUpload;
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
    CommitJob job = lake.table().begin(lake.request(CommitKind.APPEND));
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
