package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.FaultyObjectStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A rollback restores the live files of any version that is kept. */
class RollbackTest {
  private static final List<String> V2 = List.of("dt=1/commit-000001", "dt=2/commit-000001");
  private static final List<String> V3 = List.of("dt=1/commit-000002", "dt=2/commit-000001");
  private static final List<String> V4 = List.of("dt=3/commit-000003");

  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  /** Version 1 is the adoption of the empty table, which the first job commits. */
  @BeforeEach
  void aTableOfFourVersions() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.commit(CommitKind.STATIC, "dt=3");
    assertThat(table.recorded()).isEqualTo(V4);
  }

  @Test
  void everyVersionCanBeRestoredInAnyOrder() throws Exception {
    List<List<String>> versions = List.of(List.of(), List.of(), V2, V3, V4);
    for (int version : new int[] {2, 4, 3, 0, 4, 1, 3, 2}) {
      table.open().rollback(version);
      assertThat(table.recorded()).as("version %d", version).isEqualTo(versions.get(version));
    }
  }

  @Test
  void aRollbackIsAVersionAndCanBeRolledBack() throws Exception {
    assertThat(table.open().rollback(2).version()).isEqualTo(5);
    assertThat(table.open().rollback(4).version()).isEqualTo(6);
    assertThat(table.open().rollback(5).version()).isEqualTo(7);
    assertThat(table.recorded()).isEqualTo(V2);
    assertThat(table.recordedAt(6)).isEqualTo(V4);
    assertThat(table.recordedAt(5)).isEqualTo(V2);
    assertThat(table.history().get(6).kind()).isEqualTo(CommitKind.ROLLBACK);
  }

  @Test
  void aRollbackToTheNewestVersionChangesNoFile() throws Exception {
    CommitResult result = table.open().rollback(4);
    assertThat(result.totals().filesOut()).isZero();
    assertThat(table.recorded()).isEqualTo(V4);
  }

  @Test
  void commitsAfterARollbackBuildOnIt() throws Exception {
    table.open().rollback(3);
    table.commit(CommitKind.APPEND, "dt=2");
    assertThat(table.recorded())
        .containsExactlyInAnyOrder(
            "dt=1/commit-000002", "dt=2/commit-000001", "dt=2/commit-000004");
    table.commit(CommitKind.DYNAMIC, "dt=2");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000002", "dt=2/commit-000005");
  }

  @Test
  void rollbacksSurviveCheckpoints() throws Exception {
    for (int turn = 0; turn < 30; turn++) {
      table.open().rollback(2 + turn % 3);
    }
    assertThat(table.head().checkpointVersion()).isPositive();
    for (int turn = 0; turn < 30; turn++) {
      assertThat(table.recordedAt(5 + turn)).isEqualTo(List.of(V2, V3, V4).get(turn % 3));
    }
  }

  @Test
  void anOverwriteThatBeganBeforeARollbackFails() throws Exception {
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=9");
    table.open().rollback(2);
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
    assertThat(table.recorded()).isEqualTo(V2);
  }

  @Test
  void anAppendThatBeganBeforeARollbackCommits() throws Exception {
    TestJob job = table.job(CommitKind.APPEND, "dt=9");
    table.open().rollback(2);
    job.commit();
    assertThat(table.recorded()).hasSize(3).containsAll(V2).contains("dt=9/commit-000004");
  }

  /** On a busy table something is always published while it reads the records. */
  @Test
  void aRollbackUndoesWhatIsPublishedWhileItReadsTheRecords() throws Exception {
    OnceBefore append =
        new OnceBefore(RollbackTest::readsManifest, () -> table.commit(CommitKind.APPEND, "dt=9"));
    assertThat(table.before(append).rollback(2).version()).isEqualTo(6);
    assertThat(table.recorded()).isEqualTo(V2);
    assertThat(table.recordedAt(5)).hasSize(2).containsAll(V4).contains("dt=9/commit-000004");
    table.open().rollback(5);
    assertThat(table.recorded()).hasSize(2).contains("dt=9/commit-000004");
  }

  /** Its files are in the plan too. */
  @Test
  void aRollbackIsRefusedWhenARecordOfWhatIsPublishedMeanwhileIsLost() throws Exception {
    OnceBefore append =
        new OnceBefore(
            RollbackTest::readsManifest,
            () -> {
              CommitId lost = table.commit(CommitKind.APPEND, "dt=9").by();
              table.store.delete(List.of(table.paths.manifest(lost)));
            });
    assertThatThrownBy(() -> table.before(append).rollback(2))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("is missing");
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void aRollbackWhoseHeadIsPutBackWhileItReadsTheRecordsFails() throws Exception {
    byte[] older = table.content(table.paths.head());
    table.commit(CommitKind.APPEND, "dt=9");
    OnceBefore putBack =
        new OnceBefore(
            RollbackTest::readsManifest,
            () -> table.store.put(table.paths.head(), ByteBuffer.wrap(older)));
    assertThatThrownBy(() -> table.before(putBack).rollback(2))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("an older head was put back");
    assertThat(table.content(table.paths.head())).isEqualTo(older);
  }

  private static boolean readsManifest(StoreCall call, Location at) {
    return call == StoreCall.READ && at.key().endsWith("manifest.json.gz");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.INCLUDE,
      names = {"PLAN", "COMPLETE_UPLOADS", "PUBLISH", "FINISH"})
  void aRollbackThatDiedIsFinishedByRecovery(Step death) throws Exception {
    assertThatThrownBy(() -> table.dyingAt(death).rollback(2)).isInstanceOf(ProcessDied.class);
    table.open().recover();
    assertThat(table.recorded()).isEqualTo(V2);
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void aVersionThatWasVacuumedCannotBeRolledBackTo() throws Exception {
    table.clock.advance(1_000);
    table.open().vacuum(0);
    assertThatThrownBy(() -> table.open().rollback(3))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("has only version 4, not version 3");
    assertThat(table.recorded()).isEqualTo(V4);
  }

  /** Whichever comes first, no readable version lacks a file. */
  @Test
  void aVacuumBetweenAnyTwoCallsOfARollbackLeavesItWholeOrRefused() throws Exception {
    Set<String> outcomes = new HashSet<>();
    for (int call = 1; call < 30; call++) {
      TestTable fresh = fourVersions();
      int at = call;
      int[] calls = {0};
      Table interrupted = fresh.before((next, key) -> vacuum(fresh, ++calls[0] == at));
      try {
        interrupted.rollback(2);
        outcomes.add("whole");
        assertThat(fresh.recorded()).as("vacuum before call %d", call).isEqualTo(V2);
      } catch (CommitFailedException | InvalidConfigException e) {
        outcomes.add("refused");
        assertThat(fresh.recorded()).as("vacuum before call %d", call).isEqualTo(V4);
      }
      assertLiveFilesAreThere(fresh);
    }
    assertThat(outcomes).containsExactlyInAnyOrder("whole", "refused");
  }

  @Test
  void aRollbackBetweenAnyTwoCallsOfAVacuumLeavesEveryLiveFile() throws Exception {
    Set<String> outcomes = new HashSet<>();
    for (int call = 1; call < 40; call++) {
      TestTable fresh = fourVersions();
      int at = call;
      int[] calls = {0};
      fresh.before((next, key) -> outcomes.add(rollback(fresh, ++calls[0] == at))).vacuum(0);
      assertLiveFilesAreThere(fresh);
    }
    assertThat(outcomes).contains("whole", "refused");
  }

  /** A rollback dies at any call. Then a vacuum runs, and then a recovery. */
  @Test
  void aVacuumKeepsTheFilesThatADeadRollbackRestores() throws Exception {
    int died = 0;
    for (int call = 1; call < 30; call++) {
      TestTable fresh = fourVersions();
      FaultyObjectStore dying = fresh.dyingBefore(call);
      try {
        fresh.through(dying).rollback(2);
      } catch (ProcessDied end) {
        died++;
      }
      fresh.clock.advance(1_000);
      fresh.open().vacuum(0);
      fresh.open().recover();
      assertThat(fresh.recorded()).isIn(V2, V4);
      assertLiveFilesAreThere(fresh);
    }
    assertThat(died).isBetween(5, 28);
  }

  private TestTable fourVersions() throws Exception {
    RollbackTest other = new RollbackTest();
    other.aTableOfFourVersions();
    other.table.clock.advance(1_000);
    return other.table;
  }

  private static void vacuum(TestTable table, boolean now) {
    if (now) {
      Unchecked.run(() -> table.open().vacuum(0));
    }
  }

  private static String rollback(TestTable table, boolean now) {
    if (!now) {
      return "waits";
    }
    try {
      table.open().rollback(2);
      return "whole";
    } catch (CommitConflictException | InvalidConfigException e) {
      return "refused";
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void assertLiveFilesAreThere(TestTable table) throws Exception {
    assertThat(table.writers()).containsAll(table.recorded());
  }
}
