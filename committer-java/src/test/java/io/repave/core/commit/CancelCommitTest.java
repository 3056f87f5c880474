package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.UploadPage;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A commit that cannot be planned or finished is reverted when an operator cancels it. */
class CancelCommitTest {
  private final TestTable table = new TestTable();

  /** A reserved commit in a store whose listings fail, so that the commit cannot be planned. */
  private TestJob unplanned() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    Table blind =
        table.before(
            (call, at) -> {
              if (call == StoreCall.LIST) {
                throw new StoreException(Kind.INVALID, "listing is not for you");
              }
            });
    TestJob job = table.job(blind, CommitKind.DYNAMIC, "dt=1", "dt=2");
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    return job;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitThatCannotBePlannedIsRevertedOnRequest(boolean byFolder) throws Exception {
    CommitId id = unplanned().id();
    RecoveredCommit cancelled = table.open().cancel(byFolder ? id.folder() : id.id());
    assertThat(cancelled.outcome()).isEqualTo(RecoveredCommit.Outcome.REVERTED);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.head().active()).isEmpty();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.writers()).containsExactly("dt=1/commit-000003");
  }

  @Test
  void aCommitWhoseLedgerIsGoneIsRevertedByTheNamesOfItsFiles() throws Exception {
    CommitId id = unplanned().id();
    table.store.delete(List.of(table.paths.uploads(id)));
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);
    table.open().cancel(id.id());
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.head().active()).isEmpty();
  }

  /** One that stays open could still be completed by a process that has the ledger in memory. */
  @Test
  void aCommitWhoseLedgerIsGoneLeavesNoUploadOpenHoweverManyPagesThereAre() throws Exception {
    String[] partitions =
        IntStream.range(0, 25).mapToObj("dt=%d"::formatted).toArray(String[]::new);
    CommitId id = table.unfinished(Step.PLAN, CommitKind.APPEND, partitions);
    table.store.delete(List.of(table.paths.uploads(id)));
    InterceptingStore oneOnAPage =
        new InterceptingStore(table.counted) {
          @Override
          public UploadPage listUploads(Location folder, String next) throws StoreException {
            List<OpenUpload> left = new ArrayList<>(super.listUploads(folder, "").uploads());
            left.removeIf(upload -> upload.key().compareTo(next) <= 0);
            left.sort(Comparator.comparing(OpenUpload::key));
            String key = left.size() > 1 ? left.get(0).key() : "";
            return new UploadPage(left.stream().limit(1).toList(), key);
          }
        };
    table.through(oneOnAPage).cancel(id.id());
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.files()).isEmpty();
  }

  /** Recovery needs both records, and a commit that is not published has deleted nothing. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPlannedCommitThatLostARecordIsRevertedOnRequest(boolean ledger) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId id = table.unfinished(Step.VERIFY, CommitKind.DYNAMIC, "dt=1", "dt=2");
    if (ledger) {
      table.store.delete(List.of(table.paths.uploads(id)));
    } else {
      table.store.put(table.paths.manifest(id), ByteBuffer.wrap(new byte[] {1}));
    }
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);
    RecoveredCommit cancelled = table.open().cancel(id.id());
    assertThat(cancelled.outcome()).isEqualTo(RecoveredCommit.Outcome.REVERTED);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.head().active()).isEmpty();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.writers()).containsExactly("dt=1/commit-000003");
  }

  @Test
  void theNextJobOfASnapshotTableAdoptsAgainAfterItsAdoptionWasCancelled() throws Exception {
    TestTable snapshot = new TestTable(Readers.SNAPSHOT);
    snapshot.foreign("dt=1/old.parquet");
    Table dying = snapshot.dyingAt(Step.PLAN);
    assertThatThrownBy(() -> dying.begin(snapshot.request(CommitKind.APPEND)))
        .isInstanceOf(ProcessDied.class);
    snapshot.open().cancel(snapshot.head().active().get(0).id().id());
    assertThat(snapshot.head().version()).isZero();
    snapshot.commit(CommitKind.APPEND, "dt=2");
    assertThat(snapshot.head().version()).isEqualTo(2);
    assertThat(snapshot.recorded()).hasSize(2);
  }

  /** A Complete that the store accepted before the cancellation aborted its upload. */
  @Test
  void aFileThatAppearsDuringACancellationByNamesIsDeletedToo() throws Exception {
    CommitId id = unplanned().id();
    table.store.delete(List.of(table.paths.uploads(id)));
    Location file = table.paths.file("dt=1", PartFileName.of("", 7, id.id(), 1, ".c000.parquet"));
    AtomicBoolean appeared = new AtomicBoolean();
    table.clock.onAdvance(
        now -> {
          if (appeared.compareAndSet(false, true)) {
            try {
              table.store.put(file, ByteBuffer.wrap(new byte[] {1}));
            } catch (StoreException e) {
              throw new AssertionError(e);
            }
          }
        });
    table.open().cancel(id.id());
    assertThat(appeared).isTrue();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aRunningDriverLearnsThatItsCommitWasCancelled() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction[] slow = new WriteTransaction[1];
    OnceBefore cancels =
        new OnceBefore(
            (call, at) -> call == StoreCall.LIST && slow[0] != null,
            () -> table.open().cancel(slow[0].id().id()));
    slow[0] = table.before(cancels).begin(table.request(CommitKind.DYNAMIC));
    var ledger = TestTable.ledger(table.upload(slow[0], List.of("dt=1", "dt=2")));
    assertThatThrownBy(() -> slow[0].commit(ledger)).hasMessageContaining("was reverted");
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void aCommitThatIsPlannedOrPublishedIsNotCancelled() throws Exception {
    CommitId planned = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    CommitId published = table.unfinished(Step.FINISH, CommitKind.APPEND, "dt=2");
    assertThatThrownBy(() -> table.open().cancel(planned.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("it has a manifest")
        .hasMessageContaining("repave recover");
    assertThatThrownBy(() -> table.open().cancel(published.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("it is published");
    assertThatThrownBy(() -> table.open().cancel("nobody"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("no unfinished commit");
    assertThat(table.open().recover()).hasSize(2);
  }

  /** No commit is finished in between, which would shorten the log. */
  @Test
  void theHeadDoesNotGrowWithTheNumberOfReverts() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    for (int revert = 0; revert < 40; revert++) {
      CommitId id = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=2");
      table.open().cancel(id.id());
    }
    assertThat(table.head().log()).hasSize(33).anyMatch(it -> it.version() == 1);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000042");
  }

  /** Between the look at the commit and the swap, another process publishes it and dies. */
  @Test
  void aCommitThatIsPublishedMeanwhileIsNotReverted() throws Exception {
    CommitId id = unplanned().id();
    OnceBefore publishes =
        new OnceBefore(
            StoreCall.PUT_IF_MATCH,
            () ->
                assertThatThrownBy(() -> table.dyingAt(Step.FINISH).recover())
                    .isInstanceOf(ProcessDied.class));
    RecoveredCommit cancelled = table.before(publishes).cancel(id.id());
    assertThat(cancelled.outcome()).isEqualTo(RecoveredCommit.Outcome.FINISHED_BY_ANOTHER_PROCESS);
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000002", "dt=2/commit-000002");
  }

  /** The process that cancels has deleted some of its files, and dies. */
  @Test
  void aRunningDriverDoesNotPublishWhatIsBeingReverted() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction[] driver = new WriteTransaction[1];
    int[] swaps = {0};
    OnceBefore cancels =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && ++swaps[0] == 2,
            () -> {
              CommitId id = driver[0].id();
              table.store.delete(List.of(table.paths.uploads(id)));
              Table dying =
                  table.before(
                      (call, at) -> {
                        if (call == StoreCall.DELETE) {
                          throw ProcessDied.at(Step.REVERT);
                        }
                      });
              assertThatThrownBy(() -> dying.cancel(id.id())).isInstanceOf(ProcessDied.class);
            });
    driver[0] = table.before(cancels).begin(table.request(CommitKind.DYNAMIC));
    var ledger = TestTable.ledger(table.upload(driver[0], List.of("dt=1", "dt=2")));
    assertThatThrownBy(() -> driver[0].commit(ledger)).hasMessageContaining("was reverted");
    assertThat(table.head().version()).isEqualTo(1);
    assertThat(table.head().active()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }
}
