package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.LedgerJson;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A published commit that lost its ledger, its manifest or both, before it was finished. */
class LostLedgerTest {
  private static final String OUTSIDE = "s3://cold/sales/dt=9";

  private final TestTable table = new TestTable();

  private void lose(Location... records) throws Exception {
    for (Location record : records) {
      table.store.delete(List.of(record));
    }
  }

  private CommitId published(CommitKind kind) throws Exception {
    table.configure(it -> it.allowed(List.of(new Location("cold", "sales"))));
    table.commit(CommitKind.APPEND, "dt=1", "dt=2", OUTSIDE);
    return table.unfinished(Step.RETIRE, request(kind), "dt=1", OUTSIDE);
  }

  /** A static overwrite of all partitions names those outside the table too. */
  private CommitRequest request(CommitKind kind) {
    CommitRequest named = table.request(kind, "token");
    return kind == CommitKind.STATIC
        ? new CommitRequest(named.commit(), kind, List.of("", OUTSIDE), "token", "")
        : named;
  }

  private List<String> outside() {
    return table.data().keySet().stream()
        .filter(key -> key.startsWith(OUTSIDE))
        .map(TestTable::writer)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"DYNAMIC, false", "STATIC, false", "DYNAMIC, true"})
  void anOverwriteOfAListingTableIsFinishedWithWhatIsLeft(CommitKind kind, boolean both)
      throws Exception {
    CommitId id = published(kind);
    lose(table.paths.uploads(id));
    if (both) {
      lose(table.paths.manifest(id));
    }
    assertThatThrownBy(() -> table.open().cancel(id.id()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave recover");

    assertThat(table.open().recover())
        .extracting(RecoveredCommit::outcome)
        .containsExactly(RecoveredCommit.Outcome.PUBLISHED);

    assertThat(table.head().active()).isEmpty();
    assertThat(table.writers()).contains("dt=1/commit-000002").doesNotContain("dt=1/commit-000001");
    boolean whole = kind == CommitKind.STATIC;
    assertThat(table.writers().contains("dt=2/commit-000001")).isEqualTo(!whole);
    assertThat(outside()).containsExactly(OUTSIDE + "/commit-000002");
    assertThat(table.recorded()).contains("dt=1/commit-000002", OUTSIDE + "/commit-000002");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAppendKeepsEveryRow(boolean both) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId id = table.unfinished(Step.FINISH, CommitKind.APPEND, "dt=1");
    lose(table.paths.uploads(id));
    if (both) {
      lose(table.paths.manifest(id));
    }
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=1/commit-000002");
    assertThat(table.recorded())
        .containsExactlyInAnyOrder("dt=1/commit-000001", "dt=1/commit-000002");
  }

  /** The ledger is there again, so a job with the same token knows what was written. */
  @Test
  void theTokenOfACommitWithoutItsLedgerStaysUsed() throws Exception {
    CommitId id = published(CommitKind.DYNAMIC);
    lose(table.paths.uploads(id));
    table.open().recover();
    table.commit(table.request(CommitKind.DYNAMIC, "token"), List.of("dt=1", OUTSIDE));
    assertThat(table.writers()).contains("dt=1/commit-000002").doesNotContain("dt=1/commit-000003");
    assertThat(outside()).containsExactly(OUTSIDE + "/commit-000002");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.writers()).contains("dt=1/commit-000004").doesNotContain("dt=1/commit-000002");
  }

  /** Otherwise the second write of the same program would count as a repetition of the first. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void theManifestTellsWhoWroteAndWhereTheMarkerGoes(Readers readers) throws Exception {
    TestTable other = new TestTable(readers);
    other.commit(CommitKind.APPEND, "dt=9");
    CommitId id = other.unfinished(Step.FINISH, of("app-1", other), "dt=1");
    other.store.delete(List.of(other.paths.root().resolve("_SUCCESS")));
    other.store.delete(List.of(other.paths.uploads(id)));
    other.open().recover();
    assertThat(other.store.objects()).containsKey(other.paths.root().resolve("_SUCCESS"));
    assertThatThrownBy(() -> other.commit(of("app-1", other), List.of("dt=2")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("was made by this application");
    other.commit(of("app-2", other), List.of("dt=1"));
    assertThat(other.recorded()).containsExactly("dt=1/commit-000002", "dt=9/commit-000001");
  }

  /** What it replaces and who wrote it decides about later writes with its token. */
  @Test
  void theRestoredLedgerSaysWhatTheLostOneSaid() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    CommitRequest it = table.request(CommitKind.STATIC, "token");
    CommitRequest job =
        new CommitRequest(
            it.commit(), it.kind(), List.of("dt=1"), "token", "app-1", "dt=1/_SUCCESS");
    CommitId id = table.unfinished(Step.RETIRE, job, "dt=1");
    byte[] lost = table.content(table.paths.uploads(id));
    lose(table.paths.uploads(id));
    table.open().recover();
    byte[] restored = table.content(table.paths.uploads(id));
    assertThat(LedgerJson.readIndex(restored, id, "restored"))
        .isEqualTo(LedgerJson.readIndex(lost, id, "lost"));
    assertThat(table.writers())
        .containsExactly("dt=1/_SUCCESS", "dt=1/commit-000002", "dt=2/commit-000001");
  }

  private static CommitRequest of(String application, TestTable table) {
    return table.request(CommitKind.APPEND, "token", application);
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      names = {"APPEND", "DYNAMIC", "STATIC"})
  void aSnapshotTableNeedsOneOfTheTwoRecords(CommitKind kind) throws Exception {
    for (boolean ledger : new boolean[] {true, false}) {
      TestTable snapshot = new TestTable(Readers.SNAPSHOT);
      snapshot.commit(CommitKind.APPEND, "dt=1", "dt=2");
      CommitId id = snapshot.unfinished(Step.FINISH, kind, "dt=1");
      byte[] manifest = snapshot.content(snapshot.paths.manifest(id));
      List<String> expected = snapshot.recorded();
      snapshot.store.delete(List.of(snapshot.paths.manifest(id)));
      if (ledger) {
        snapshot.store.delete(List.of(snapshot.paths.uploads(id)));
        assertThatThrownBy(() -> snapshot.open().recover())
            .isInstanceOf(InvalidRecordException.class)
            .hasMessageContaining("read version 2");
        assertThatThrownBy(() -> snapshot.open().cancel(id.id()))
            .isInstanceOf(InvalidConfigException.class);
        snapshot.store.put(snapshot.paths.manifest(id), ByteBuffer.wrap(manifest));
      }
      snapshot.open().recover();
      assertThat(snapshot.head().active()).isEmpty();
      assertThat(snapshot.recorded()).isEqualTo(expected);
      snapshot.commit(CommitKind.DYNAMIC, "dt=1");
      assertThat(snapshot.recorded())
          .contains("dt=1/commit-000003")
          .doesNotContain("dt=1/commit-000001", "dt=1/commit-000002");
    }
  }

  /** Otherwise nothing could end it: it would block every overwrite, and keep repair away. */
  @Test
  void anAdoptionThatLostItsManifestIsPlannedAgain() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=3");
    table.foreign("dt=2/foreign");
    List<Location> gone = table.store.objects().keySet().stream().filter(this::isInDt3).toList();
    table.store.delete(gone);
    assertThatThrownBy(() -> table.dyingAt(Step.FINISH).adopt()).isInstanceOf(ProcessDied.class);
    CommitId id = table.head().active().get(0).id();
    assertThat(table.head().active(id).orElseThrow().state()).isEqualTo(CommitState.CLEANING);
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=1");
    lose(table.paths.manifest(id));

    assertThat(table.open().recover()).hasSize(2);

    assertThat(table.recordedAt(2)).containsExactly("dt=1/commit-000001", "dt=2/foreign");
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(
            "dt=1/commit-000001", "dt=1/commit-000002", "dt=1/commit-000003", "dt=2/foreign");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000004", "dt=2/foreign");
  }

  private boolean isInDt3(Location at) {
    return table.paths.folder("dt=3").holds(at);
  }

  @Test
  void aRollbackIsFinishedFromItsManifest() throws Exception {
    TestTable snapshot = new TestTable(Readers.SNAPSHOT);
    snapshot.commit(CommitKind.APPEND, "dt=1");
    long first = snapshot.head().version();
    snapshot.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(() -> snapshot.dyingAt(Step.FINISH).rollback(first))
        .isInstanceOf(ProcessDied.class);
    CommitId id = snapshot.head().active().get(0).id();
    snapshot.store.delete(List.of(snapshot.paths.uploads(id)));
    snapshot.open().recover();
    assertThat(snapshot.head().active()).isEmpty();
    assertThat(snapshot.recorded()).containsExactly("dt=1/commit-000001");
  }

  /** Otherwise it would be planned again with the version that has no files. */
  @Test
  void aRollbackThatLosesItsLedgerAndThenItsManifestEmptiesNothing() throws Exception {
    TestTable snapshot = new TestTable(Readers.SNAPSHOT);
    snapshot.commit(CommitKind.APPEND, "dt=1");
    long first = snapshot.head().version();
    snapshot.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> snapshot.dyingAt(Step.FINISH).rollback(first))
        .isInstanceOf(ProcessDied.class);
    CommitId id = snapshot.head().active().get(0).id();
    snapshot.store.delete(List.of(snapshot.paths.uploads(id)));
    assertThatThrownBy(() -> snapshot.dyingAt(Step.FINISH).recover())
        .isInstanceOf(ProcessDied.class);
    snapshot.store.delete(List.of(snapshot.paths.manifest(id)));
    assertThatThrownBy(() -> snapshot.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("The manifest of version");
    assertThat(snapshot.records("commits/")).isPositive();
    assertThat(snapshot.store.objects()).doesNotContainKey(snapshot.paths.manifest(id));
  }

  /** Nothing says which folders it replaces: the operator ends it, and runs the job again. */
  @Test
  void aStaticOverwriteWithoutRecordsIsEndedAndItsJobRunsAgain() throws Exception {
    CommitId id = published(CommitKind.STATIC);
    lose(table.paths.uploads(id), table.paths.manifest(id));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("`repave cancel " + table.paths.root() + " " + id.id() + "`")
        .hasMessageContaining("run its job again");
    assertThat(table.head().active(id).orElseThrow().state()).isEqualTo(CommitState.CLEANING);

    RecoveredCommit ended = table.open().cancel(id.id());

    assertThat(ended.outcome()).isEqualTo(RecoveredCommit.Outcome.ENDED);
    assertThat(table.head().active()).isEmpty();
    table.commit(request(CommitKind.STATIC), List.of("dt=1", OUTSIDE));
    assertThat(table.writers()).containsExactly("dt=1/commit-000003");
    assertThat(outside()).containsExactly(OUTSIDE + "/commit-000003");
    table.open().repair();
    assertThat(table.recorded())
        .contains("dt=1/commit-000003")
        .doesNotContain("dt=1/commit-000002");
  }

  /** A record that exists may be of a newer version, which knows how to finish the commit. */
  @Test
  void aLedgerThatCannotBeReadIsNotReplaced() throws Exception {
    CommitId id = published(CommitKind.DYNAMIC);
    table.store.put(table.paths.uploads(id), ByteBuffer.wrap(new byte[] {1}));
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);
    assertThat(table.content(table.paths.uploads(id))).containsExactly(1);
    lose(table.paths.uploads(id));
    table.open().recover();
    assertThat(outside()).containsExactly(OUTSIDE + "/commit-000002");
  }

  /** With the ledger gone, head and manifest have to agree on what may be deleted. */
  @Test
  void aManifestThatDeletesElsewhereIsRefused() throws Exception {
    CommitId id = published(CommitKind.DYNAMIC);
    lose(table.paths.uploads(id));
    table.rewrite(
        table.paths.manifest(id),
        json -> json.replace("\"touched\":[\"dt=1\"", "\"touched\":[\"dt=2\",\"dt=1\""));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("dt=2");
    assertThat(table.store.objects()).doesNotContainKey(table.paths.uploads(id));
  }

  @Test
  void aManifestOfAnotherKindThanTheHeadSaysIsRefused() throws Exception {
    CommitId id = published(CommitKind.DYNAMIC);
    lose(table.paths.uploads(id));
    table.rewrite(
        table.paths.manifest(id),
        json -> json.replace("\"kind\":\"dynamic\"", "\"kind\":\"append\""));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("another kind");
    assertThat(table.store.objects()).doesNotContainKey(table.paths.uploads(id));
  }

  @Test
  void aFolderOutsideHasToBeAllowed() throws Exception {
    CommitId id = published(CommitKind.DYNAMIC);
    lose(table.paths.uploads(id));
    table.configure(it -> it.allowed(List.of()));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(OUTSIDE);
    assertThat(table.store.objects()).doesNotContainKey(table.paths.uploads(id));
    assertThat(outside()).hasSize(2);
  }

  /** Before it is published, a commit without its ledger cannot be finished. */
  @Test
  void anUnpublishedCommitIsNotFinishedFromItsManifest() throws Exception {
    CommitId id = table.unfinished(Step.VERIFY, CommitKind.APPEND, "dt=1");
    lose(table.paths.uploads(id));
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("repave cancel");
  }
}
