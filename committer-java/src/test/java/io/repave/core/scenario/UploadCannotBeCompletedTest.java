package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.RecoveredCommit.Outcome;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.UploadPage;
import io.repave.testing.HeldUpload;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The store knows an upload and refuses to complete it. */
class UploadCannotBeCompletedTest {
  private final TestTable table = new TestTable();
  private boolean refuses = true;

  private final ObjectStore refusing =
      InterceptingStore.before(
          table.counted,
          (call, at) -> {
            if (refuses && call == StoreCall.COMPLETE) {
              throw new StoreException(Kind.INVALID, "answered 400 InvalidPart");
            }
          });

  private Table refusingTable() {
    return table.through(refusing);
  }

  private ObjectStore listingNoUploads() {
    return new InterceptingStore(refusing) {
      @Override
      public UploadPage listUploads(Location folder, String next) {
        return new UploadPage(List.of(), "");
      }

      @Override
      public UploadPage listUploadsOf(Location at, String next) {
        return new UploadPage(List.of(), "");
      }
    };
  }

  private void fail() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob job = table.job(refusingTable(), CommitKind.DYNAMIC, "dt=1", "dt=2");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("InvalidPart")
        .hasMessageContaining("repave recover");
    assertThat(job.abort()).isFalse();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(table.store.openUploads()).hasSize(2);
  }

  @Test
  void aCommitIsFinishedOnceTheCauseIsFixed() throws Exception {
    fail();
    refuses = false;
    refusingTable().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
  }

  /** Listing uploads needs a permission of its own, which a role may lack. */
  @Test
  void theErrorNamesTheRefusalOfCompleteAlsoWhereNoUploadMayBeListed() throws Exception {
    ObjectStore unlisted =
        InterceptingStore.before(
            refusing,
            (call, at) -> {
              if (call == StoreCall.LIST_UPLOADS) {
                throw new StoreException(Kind.DENIED, "answered 403 AccessDenied");
              }
            });
    TestJob job = table.job(table.through(unlisted), CommitKind.DYNAMIC, "dt=1");

    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("InvalidPart")
        .rootCause()
        .satisfies(
            cause ->
                assertThat(cause.getSuppressed())
                    .singleElement()
                    .asString()
                    .contains("AccessDenied"));
  }

  @Test
  void aCommitIsRevertedOnceItsUploadsAreAborted() throws Exception {
    fail();
    for (HeldUpload upload : List.copyOf(table.store.openUploads())) {
      table.store.abort(upload.at(), upload.uploadId());
    }
    assertThat(refusingTable().recover()).extracting(RecoveredCommit::outcome).hasSize(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(table.head().active()).isEmpty();
    refuses = false;
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.writers()).containsExactly("dt=1/commit-000003");
  }

  /** A recovery with another endpoint for the bucket of a partition learns nothing of its files. */
  @Test
  void aBucketThatIsNotFoundIsNoReasonToRevert() throws Exception {
    String outside = "s3://cold/sales/dt=2";
    table.configure(it -> it.allowed(List.of(new Location("cold", "sales"))));
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1", outside);
    InterceptingStore.Hook noBucket =
        (call, at) -> {
          boolean asked = call == StoreCall.COMPLETE || call == StoreCall.LIST_UPLOADS;
          if (asked && at.bucket().equals("cold")) {
            throw new StoreException(Kind.ABSENT, "answered 404 NoSuchBucket");
          }
        };
    assertThatThrownBy(() -> table.before(noBucket).recover())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("NoSuchBucket");
    assertThat(table.head().active().get(0).state()).isEqualTo(CommitState.PENDING);
    table.open().recover();
    assertThat(table.recorded()).containsExactly("dt=1/commit-000002", outside + "/commit-000002");
  }

  /** AWS answers 200 to a second Complete of an upload, even when the object is gone. */
  @Test
  void aRecoveryDoesNotTrustTheCompleteOfAFileThatWasDeletedByHand() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PUBLISH, CommitKind.DYNAMIC, "dt=1", "dt=2");
    Location file =
        table.store.objects().keySet().stream()
            .filter(at -> at.key().contains("/dt=2/"))
            .findFirst()
            .orElseThrow();
    table.store.delete(List.of(file));

    assertThat(table.open().recover())
        .extracting(RecoveredCommit::outcome)
        .containsExactly(Outcome.REVERTED);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  /** MinIO lists an upload only by its whole key. */
  @Test
  void aCommitIsNotRevertedOnAStoreThatListsNoUploadsByFolder() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    ObjectStore byKey =
        new InterceptingStore(refusing) {
          @Override
          public UploadPage listUploads(Location folder, String next) {
            return new UploadPage(List.of(), "");
          }
        };
    TestJob job = table.job(table.through(byKey), CommitKind.DYNAMIC, "dt=1", "dt=2");
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    refuses = false;
    assertThat(table.through(byKey).recover())
        .extracting(RecoveredCommit::outcome)
        .containsExactly(Outcome.PUBLISHED);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
  }

  @Test
  void aRevertAbortsUploadsThatTheStoreDoesNotList() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob job = table.job(table.through(listingNoUploads()), CommitKind.DYNAMIC, "dt=1", "dt=2");
    assertThatThrownBy(job::commit).isInstanceOf(CommitFailedException.class);
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  /** A driver that sleeps could complete it later, and its rows would be there for ever. */
  @Test
  void aRevertIsNotRecordedWhileAnUploadStaysOpen() throws Exception {
    fail();
    HeldUpload lost = table.store.openUploads().get(0);
    table.store.abort(lost.at(), lost.uploadId());
    InterceptingStore abortingNothing =
        new InterceptingStore(refusing) {
          @Override
          public void abort(Location at, String uploadId) {}
        };
    assertThatThrownBy(() -> table.through(abortingNothing).recover())
        .isInstanceOf(StoreException.class);
    assertThat(table.head().active().get(0).state()).isEqualTo(CommitState.REVERTING);
    refusingTable().recover();
    assertThat(table.head().active()).isEmpty();
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aFileOfAnotherSizeIsNotPublished() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PUBLISH, CommitKind.DYNAMIC, "dt=2");
    String file = table.files().stream().filter(it -> it.startsWith("dt=2/")).findAny().get();
    table.foreign(file);
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("another process wrote to this key")
        .hasMessageEndingWith("or move the object away, and run `repave recover`");
    assertThat(table.head().version()).isEqualTo(1);

    table.store.delete(List.of(table.paths.root().resolve(file)));
    table.open().recover();
    assertThat(table.head().active()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }
}
