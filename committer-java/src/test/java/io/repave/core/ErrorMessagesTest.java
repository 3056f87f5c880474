package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each error names the problem, its cause and what to do next. */
class ErrorMessagesTest {
  private final Lake lake = new Lake();

  /** The table over a store that denies some of its calls. */
  private Table denied(String call) {
    return lake.through(
        lake.turning(
            name -> {
              if (name.equals(call)) {
                throw new StoreException(Kind.DENIED, "403 for " + call);
              }
            }));
  }

  private Throwable commit(Table table, String partition) throws Exception {
    WriteTransaction job = table.begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of(partition)));
    return catchThrowable(() -> job.commit(ledger));
  }

  @Test
  void noRightToWriteTheLedgerIsAFailureThatMayBeRunAgain() throws Exception {
    assertThat(commit(denied("put"), "dt=1"))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("could not record its uploads under s3://lake/sales/_repave/commits/")
        .hasMessageContaining("403 for put")
        .hasMessageContaining("Nothing was published; mend the cause and run the job again");
    assertThat(lake.table().head()).isEmpty();
  }

  @Test
  void noRightToSwapTheHeadIsAFailureThatMayBeRunAgain() throws Exception {
    assertThat(commit(denied("putIfAbsent"), "dt=1"))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("could not be reserved in s3://lake/sales/_repave/head.json")
        .hasMessageContaining("403 for putIfAbsent")
        .hasMessageContaining("Nothing was published; mend the cause and run the job again");
    assertThat(lake.table().head()).isEmpty();
  }

  @Test
  void noRightToDeleteSaysThatTheCommitIsPublishedAndNotFinished() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(commit(denied("delete"), "dt=1"))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("is published but not finished")
        .hasMessageContaining("403 for delete")
        .hasMessageContaining("old and new rows side by side")
        .hasMessageContaining("Delete nothing")
        .hasMessageContaining("repave recover s3://lake/sales")
        .hasMessageContaining("/_repave/commits/");
    assertThat(lake.table().head().orElseThrow().version()).isEqualTo(2);
    assertThat(lake.files()).hasSize(2);
    lake.table().recover();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void aRefusalOfSingleKeysIsNoSuccessEither() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    Location at = lake.paths.root().resolve("dt=1/x");
    ObjectStore refusing = refusingDeletes(at);
    assertThat(commit(lake.through(refusing), "dt=1"))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("could not be deleted")
        .hasMessageContaining("AccessDenied");
  }

  private ObjectStore refusingDeletes(Location at) {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("delete")) {
                return List.of(new DeleteFailure(at, "AccessDenied"));
              }
              return method.invoke(lake.store, arguments);
            });
  }

  @Test
  void aConflictNamesTheOtherCommitAndThePolicy() throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, Set.of("dt=1")));
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining(Lake.id(1))
        .hasMessageContaining(Lake.id(2))
        .hasMessageContaining("version 1")
        .hasMessageContaining("repave.conflict");
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void theOtherKindOfReadersIsRefusedBeforeAnyTask() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    lake.settings = lake.settings.with(Readers.SNAPSHOT);
    assertThatThrownBy(() -> lake.table().begin(lake.request(CommitKind.DYNAMIC)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("s3://lake/sales is recorded with repave.readers=listing")
        .hasMessageContaining("asks for snapshot")
        .hasMessageContaining("set repave.readers=listing, or write to another folder");
  }

  @Test
  void aTokenThatCanNameNoRecordIsRefusedBeforeAnyTask() {
    assertThatThrownBy(() -> lake.table().begin(lake.request(CommitKind.APPEND, "x".repeat(600))))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.token")
        .hasMessageContaining("Use a shorter one");
    assertThat(lake.counted.counts().getOrDefault(Request.PUT, 0L)).isZero();
  }

  @Test
  void aRollbackOfATableThatIsListedSaysWhyItCannotBe() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> lake.table().rollback(1))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("is read by listing")
        .hasMessageContaining("repave.readers=snapshot");
  }

  @Test
  void aVersionThatThereIsNotIsNamedWithThoseThereAre() throws Exception {
    Lake snapshots = new Lake(Readers.SNAPSHOT);
    snapshots.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> snapshots.table().rollback(9))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("the versions 0 to 2; 9 is not among them");
  }

  @Test
  void aMissingLedgerSaysWhatItMeansAndWhereItMayBe() throws Exception {
    CommitId id = lake.unfinished(Step.PLAN, CommitKind.DYNAMIC, "dt=1");
    lake.store.delete(List.of(lake.paths.uploads(id)));
    assertThatThrownBy(() -> lake.table().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(lake.paths.uploads(id) + " is missing")
        .hasMessageContaining("Nothing was changed; restore it from the bucket's older versions");
  }

  @Test
  void aLostUploadIsAFailureThatNamesLifecycleRules() throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.DYNAMIC));
    var uploads = lake.upload(job, Set.of("dt=1", "dt=2"));
    var lost = uploads.get(0);
    lake.store.abort(lake.paths.file(lost.partition(), lost.name()), lost.uploadId());
    assertThatThrownBy(() -> job.commit(Lake.ledger(uploads)))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("lifecycle rule")
        .hasMessageContaining("The old data is untouched")
        .hasMessageContaining("run the job again");
    assertThat(lake.files()).isEmpty();
  }
}
