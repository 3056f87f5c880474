package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each error names the problem, its cause and what to do next. */
class ErrorMessagesTest {
  private final TestTable table = new TestTable();

  /** The table over a store that denies some of its calls. */
  private Table denied(StoreCall denied) {
    return table.before(
        (call, at) -> {
          if (call == denied) {
            throw new StoreException(Kind.DENIED, "403 for " + call);
          }
        });
  }

  private Throwable commit(Table opened, String partition) throws Exception {
    TestJob job = table.job(opened, CommitKind.DYNAMIC, partition);
    return catchThrowable(job::commit);
  }

  @Test
  void aDeniedWriteOfTheLedgerIsAFailureThatMayBeRetried() throws Exception {
    assertThat(commit(denied(StoreCall.PUT), "dt=1"))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("could not record its uploads under s3://lake/sales/_repave/commits/")
        .hasMessageContaining("403 for PUT")
        .hasMessageContaining("Nothing was published. Fix the cause and run the job again");
    assertThat(table.open().head()).isEmpty();
  }

  @Test
  void aDeniedSwapOfTheHeadIsAFailureThatMayBeRetried() throws Exception {
    assertThat(commit(denied(StoreCall.PUT_IF_ABSENT), "dt=1"))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("could not be reserved in s3://lake/sales/_repave/head.json")
        .hasMessageContaining("403 for PUT_IF_ABSENT")
        .hasMessageContaining("Nothing was published. Fix the cause and run the job again");
    assertThat(table.open().head()).isEmpty();
  }

  @Test
  void aDeniedDeleteSaysThatTheCommitIsPublishedAndNotFinished() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(commit(denied(StoreCall.DELETE), "dt=1"))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("is published but not finished")
        .hasMessageContaining("403 for DELETE")
        .hasMessageContaining("old and new rows side by side")
        .hasMessageContaining("Do not delete any files")
        .hasMessageContaining("repave recover s3://lake/sales")
        .hasMessageContaining("repave history s3://lake/sales")
        .hasMessageContaining("look for the commit id")
        .hasMessageContaining("/_repave/commits/");
    assertThat(table.head().version()).isEqualTo(2);
    assertThat(table.files()).hasSize(2);
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void aCommitThatCannotDeleteSingleKeysIsNoSuccess() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    Location at = table.paths.root().resolve("dt=1/x");
    ObjectStore refusing = refusingDeletes(at);
    assertThat(commit(table.through(refusing), "dt=1"))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("could not be deleted")
        .hasMessageContaining("AccessDenied");
  }

  private ObjectStore refusingDeletes(Location at) {
    return new InterceptingStore(table.store) {
      @Override
      public List<DeleteFailure> delete(List<Location> keys) {
        return List.of(new DeleteFailure(at, "AccessDenied"));
      }
    };
  }

  @Test
  void aConflictNamesTheOtherCommitAndThePolicy() throws Exception {
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining(TestTable.id(1))
        .hasMessageContaining(TestTable.id(2))
        .hasMessageContaining("version 1")
        .hasMessageContaining("repave.conflict");
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void theOtherKindOfReadersIsRefusedBeforeAnyTask() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.configure(it -> it.readers(Readers.SNAPSHOT));
    assertThatThrownBy(() -> table.open().begin(table.request(CommitKind.DYNAMIC)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("s3://lake/sales is recorded with repave.readers=listing")
        .hasMessageContaining("asks for snapshot")
        .hasMessageContaining("Leave repave.readers out to write as the table is recorded");
  }

  @Test
  void aTokenThatIsTooLongIsRefusedBeforeAnyTask() {
    assertThatThrownBy(() -> table.open().begin(table.request(CommitKind.APPEND, "x".repeat(600))))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.token")
        .hasMessageContaining("Use a shorter token");
    assertThat(table.counted.counts().getOrDefault(Request.PUT, 0L)).isZero();
  }

  @Test
  void aRollbackOfAListingTableSaysWhyItIsImpossible() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> table.open().rollback(1))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("is read by listing")
        .hasMessageContaining("repave.readers=snapshot");
  }

  @Test
  void aMissingVersionIsNamedTogetherWithTheExistingOnes() throws Exception {
    TestTable snapshots = new TestTable(Readers.SNAPSHOT);
    snapshots.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> snapshots.open().rollback(9))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("the versions 1 to 2, not version 9");
  }

  @Test
  void aMissingLedgerSaysWhatItMeansAndWhereItMayBe() throws Exception {
    CommitId id = table.unfinished(Step.PLAN, CommitKind.DYNAMIC, "dt=1");
    table.store.delete(List.of(table.paths.uploads(id)));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(table.paths.uploads(id) + " is missing")
        .hasMessageContaining("Nothing was changed. Restore it from the bucket's older versions");
  }

  @Test
  void aLostUploadIsAFailureThatNamesLifecycleRules() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.DYNAMIC));
    var uploads = table.upload(job, Set.of("dt=1", "dt=2"));
    var lost = uploads.get(0);
    table.store.abort(table.paths.file(lost.partition(), lost.name()), lost.uploadId());
    assertThatThrownBy(() -> job.commit(TestTable.ledger(uploads)))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("lifecycle rule")
        .hasMessageContaining("The old data is untouched")
        .hasMessageContaining("run the job again");
    assertThat(table.files()).isEmpty();
  }
}
