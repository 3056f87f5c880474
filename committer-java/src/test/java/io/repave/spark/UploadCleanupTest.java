package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Uploads of lost task attempts are gone when a write returns, whoever published it. */
class UploadCleanupTest {
  private final TestTable table = new TestTable();

  @Test
  void aCleanupThatBeganAtPublicationHasEnded() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    List<Upload> uploads = table.upload(job, List.of("dt=1", "dt=1"));
    UploadCleanup cleanup = new UploadCleanup("commit", job);

    job.commit(TestTable.ledger(uploads.subList(0, 1)), cleanup::begin);
    cleanup.end();

    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aWriteThatRepeatsAnotherCleansUpAtItsEnd() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND, "night"));
    table.commit(table.request(CommitKind.APPEND, "night"), List.of("dt=1"));
    List<Upload> uploads = table.upload(job, List.of("dt=1"));
    UploadCleanup cleanup = new UploadCleanup("commit", job);

    job.commit(TestTable.ledger(uploads), cleanup::begin);
    cleanup.end();

    assertThat(table.store.openUploads()).isEmpty();
  }

  @Test
  void aCommitSucceedsWhenNoThreadStartsForItsCleanup() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND));
    List<Upload> uploads = table.upload(job, List.of("dt=1", "dt=1"));
    UploadCleanup cleanup =
        new UploadCleanup(
            "commit",
            job,
            work -> {
              throw new Error("unable to create native thread");
            });

    job.commit(TestTable.ledger(uploads.subList(0, 1)), cleanup::begin);
    cleanup.end();

    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  /**
   * The cleanup also runs in the thread of the job, whose write would fail although it is there.
   */
  @Test
  void aCommitSucceedsWhenAClassOfItsCleanupIsMissing() throws Exception {
    Table process =
        table.before(
            (call, at) -> {
              if (call == StoreCall.ABORT) {
                throw new NoClassDefFoundError("org/example/AbortRequest");
              }
            });
    WriteTransaction job = process.begin(table.request(CommitKind.APPEND));
    List<Upload> uploads = table.upload(job, List.of("dt=1", "dt=1"));
    UploadCleanup cleanup = new UploadCleanup("commit", job);

    job.commit(TestTable.ledger(uploads.subList(0, 1)));
    cleanup.end();

    assertThat(table.store.openUploads()).hasSize(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }
}
