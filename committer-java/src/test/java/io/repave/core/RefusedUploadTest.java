package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.UploadPage;
import io.repave.testing.HeldUpload;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An upload that the store knows, and refuses to complete. */
class RefusedUploadTest {
  private final Lake lake = new Lake();
  private boolean refuses = true;

  private final ObjectStore refusing =
      lake.turning(
          name -> {
            if (refuses && name.equals("complete")) {
              throw new StoreException(Kind.INVALID, "answered 400 InvalidPart");
            }
          });

  private Table table() {
    return lake.through(refusing);
  }

  private ObjectStore listingNoUploads() {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("listUploads")) {
                return new UploadPage(List.of(), "");
              }
              try {
                return method.invoke(refusing, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void fail() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = table().begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1", "dt=2")));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("InvalidPart")
        .hasMessageContaining("repave recover");
    assertThat(job.abort(ledger)).isFalse();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(lake.store.openUploads()).hasSize(2);
  }

  @Test
  void aCommitIsFinishedOnceTheCauseIsMended() throws Exception {
    fail();
    refuses = false;
    table().recover();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
  }

  @Test
  void aCommitIsTakenBackOnceItsUploadsAreGivenUp() throws Exception {
    fail();
    for (HeldUpload upload : List.copyOf(lake.store.openUploads())) {
      lake.store.abort(upload.at(), upload.uploadId());
    }
    assertThat(table().recover()).extracting(RecoveredCommit::outcome).hasSize(1);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
    refuses = false;
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(lake.writers()).containsExactly("dt=1/commit-000003");
  }

  /** Some stores list an upload by its whole key only: what is open there looks gone. */
  @Test
  void aCommitThatIsTakenBackLeavesNoUploadOpenWhereTheStoreListsNone() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = lake.through(listingNoUploads()).begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1", "dt=2")));
    assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(CommitFailedException.class);
    assertThat(lake.store.openUploads()).isEmpty();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }
}
