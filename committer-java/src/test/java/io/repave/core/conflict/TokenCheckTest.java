package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.RecoveredCommit;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.CommitNames;
import io.repave.testing.HeldObject;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** A token names a write that is done once, however often its job runs. */
class TokenCheckTest {
  private static final String RUN = "airflow/daily?2026-11-21 +00:00";
  private static final int MORE_THAN_THE_LOG_KEEPS = 45;

  private static final String[][] HOSTILE = {
    {"\"record\":\"token\"", "\"record\":\"head\""},
    {"\"format\":1", "\"format\":2"},
    {"\"version\":1", "\"version\":-1"},
    {"\"version\":1", "\"version\":99999999999999999999"},
    {"\"commit\":\"", "\"commit\":\"../"},
    {"\"kind\":\"append\"", "\"kind\":\"drop\""},
    {"\"token\":\"", "\"token\":\"not "},
  };

  private TestTable table = new TestTable();

  private CommitResult run(CommitKind kind) throws Exception {
    return table.commit(table.request(kind, RUN), List.of("dt=1"));
  }

  private void others() throws Exception {
    table.checkpointEvery(5);
    for (int job = 0; job < MORE_THAN_THE_LOG_KEEPS; job++) {
      table.commit(CommitKind.APPEND, "dt=2");
    }
  }

  private CommitId dead(Step death, CommitKind kind) throws Exception {
    return table.unfinished(death, table.request(kind, RUN), "dt=1");
  }

  private CommitRequest tokened(CommitKind kind, String application, String... scope) {
    CommitRequest named = table.request(kind, RUN);
    List<String> replaced = kind == CommitKind.STATIC ? List.of(scope) : List.of();
    return new CommitRequest(named.commit(), kind, replaced, RUN, application, named.marker());
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      names = {"APPEND", "DYNAMIC", "STATIC"})
  void aTokenOfAnotherWriteIsRefusedBeforeAnyTask(CommitKind kind) throws Exception {
    table.commit(tokened(CommitKind.STATIC, "", "dt=1"), List.of("dt=1"));
    Map<String, String> rows = table.data();
    assertThatThrownBy(() -> table.open().begin(tokened(kind, "", "dt=2")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("names one write")
        .hasMessageContaining("repave.run");
    assertThat(table.data()).isEqualTo(rows);
  }

  @Test
  void aTokenIsRefusedWithinTheApplicationThatUsedIt() throws Exception {
    table.commit(tokened(CommitKind.APPEND, "app-1"), List.of("dt=1"));
    assertThatThrownBy(() -> table.open().begin(tokened(CommitKind.APPEND, "app-1")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("was made by this application");
    assertThat(table.commit(tokened(CommitKind.APPEND, "app-2"), List.of("dt=1")).version())
        .isEqualTo(1);
    assertThat(table.commit(tokened(CommitKind.APPEND, ""), List.of("dt=1")).version())
        .isEqualTo(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @ParameterizedTest
  @CsvSource({
    "app-1 query q batch 7 execution 12, another query or batch",
    "app-1 query other batch 6 execution 12, another query or batch",
    "app-2 query other batch 6 execution 12, another query or batch",
    "app-2 query q batch 7 execution 12, another query or batch",
    "app-1 query q batch 6 execution 9, was made by this application",
    "app-1, was made by this application",
  })
  void aTokenOfABatchIsRefusedToEverythingElse(String application, String message)
      throws Exception {
    String first = "app-1 query q batch 6 execution 9";
    table.commit(tokened(CommitKind.APPEND, first), List.of("dt=1"));
    assertThatThrownBy(() -> table.open().begin(tokened(CommitKind.APPEND, application)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "app-1 query q batch 6 execution 12",
        "app-2 query q batch 6 execution 9",
        "app-2",
        ""
      })
  void aBatchThatIsRepeatedChangesNothing(String application) throws Exception {
    String first = "app-1 query q batch 6 execution 9";
    table.commit(tokened(CommitKind.APPEND, first), List.of("dt=1"));
    assertThat(table.commit(tokened(CommitKind.APPEND, application), List.of("dt=1")).version())
        .isEqualTo(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  /** Two threads of a program write at the same time: neither write repeats the other. */
  @Test
  void aTokenThatAnotherWriteTookWhileTheTasksRanIsRefused() throws Exception {
    WriteTransaction first = table.open().begin(tokened(CommitKind.APPEND, "app-1"));
    WriteTransaction second = table.open().begin(tokened(CommitKind.APPEND, "app-1"));
    Ledger late = TestTable.ledger(table.upload(second, List.of("dt=2")));
    commit(first);
    assertThatThrownBy(() -> second.commit(late))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("was made by this application")
        .hasMessageContaining("Nothing was written");
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aTokenOfAnUnfinishedCommitIsRefusedToAnotherWrite() throws Exception {
    dead(Step.COMPLETE_UPLOADS, CommitKind.APPEND);
    assertThatThrownBy(() -> table.open().begin(tokened(CommitKind.STATIC, "", "dt=9")))
        .isInstanceOf(InvalidConfigException.class);
    assertThat(run(CommitKind.APPEND).version()).isEqualTo(1);
  }

  @Test
  void aTokenIsUsedEvenWhenTheLedgerOfItsCommitIsGone() throws Exception {
    CommitId first = run(CommitKind.APPEND).by();
    table.store.delete(List.of(table.paths.uploads(first)));
    assertThat(table.commit(tokened(CommitKind.APPEND, "app-2"), List.of("dt=1")).by())
        .isEqualTo(first);
  }

  @ParameterizedTest
  @CsvSource({
    "LISTING, APPEND", "LISTING, DYNAMIC", "LISTING, STATIC",
    "SNAPSHOT, APPEND", "SNAPSHOT, DYNAMIC", "SNAPSHOT, STATIC"
  })
  void aSecondRunReturnsTheFirstCommit(Readers readers, CommitKind kind) throws Exception {
    table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=3");
    CommitResult first = run(kind);
    List<String> live = table.recorded();
    CommitResult second = run(kind);
    assertThat(second.by()).isEqualTo(first.by());
    assertThat(second.version()).isEqualTo(first.version());
    assertThat(second.report()).isEmpty();
    assertThat(table.recorded()).isEqualTo(live);
    assertThat(table.head().version()).isEqualTo(first.version());
  }

  /** An overwrite that is done already must not replace rows that others wrote since. */
  @Test
  void aSecondRunOfAnOverwriteKeepsLaterWritesOfOthers() throws Exception {
    run(CommitKind.DYNAMIC);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    run(CommitKind.DYNAMIC);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.INCLUDE,
      names = {"PLAN", "COMPLETE_UPLOADS", "PUBLISH", "FINISH"})
  void aRunAfterARecoveryReturnsTheRecoveredCommit(Step death) throws Exception {
    CommitId dead = dead(death, CommitKind.APPEND);
    assertThat(table.open().recover().get(0).outcome())
        .isEqualTo(RecoveredCommit.Outcome.PUBLISHED);
    CommitResult again = run(CommitKind.APPEND);
    assertThat(again.by()).isEqualTo(dead);
    assertThat(again.version()).isEqualTo(1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  /**
   * The dead run was published and had not deleted the old files. Success means that they are gone.
   */
  @ParameterizedTest
  @EnumSource(ConflictPolicy.class)
  void aSecondRunRetiresTheFilesThatTheDeadRunReplaced(ConflictPolicy policy) throws Exception {
    table.configure(it -> it.conflicts(policy));
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId dead = dead(Step.RETIRE, CommitKind.DYNAMIC);
    CommitResult again = run(CommitKind.DYNAMIC);
    assertThat(again.by()).isEqualTo(dead);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
    assertThat(table.head().active()).isEmpty();
  }

  @Test
  void aRunThatWasNeverReservedIsDoneAgain() throws Exception {
    dead(Step.RESERVE, CommitKind.APPEND);
    run(CommitKind.APPEND);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void aRunThatWasRevertedIsDoneAgain() throws Exception {
    WriteTransaction job = table.open().begin(table.request(CommitKind.APPEND, RUN));
    var uploads = table.upload(job, List.of("dt=1"));
    Location at = table.paths.file("dt=1", uploads.get(0).name());
    table.store.abort(at, uploads.get(0).uploadId());
    assertThatThrownBy(() -> job.commit(TestTable.ledger(uploads)))
        .hasMessageContaining("was reverted");
    run(CommitKind.APPEND);
    others();
    run(CommitKind.APPEND);
    assertThat(table.writers())
        .filteredOn(file -> file.startsWith("dt=1/"))
        .containsExactly("dt=1/commit-000002");
  }

  /** No commit waits for an append, so it may stay unfinished until the log has dropped it. */
  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.INCLUDE,
      names = {"PLAN", "PUBLISH", "FINISH"})
  void aRunThatIsFinishedLongAfterItDiedKeepsItsVersion(Step death) throws Exception {
    CommitId dead = dead(death, CommitKind.APPEND);
    long published = table.head().version();
    others();
    assertThat(table.head().logged(dead)).isEmpty();
    CommitResult again = run(CommitKind.APPEND);
    assertThat(again.by()).isEqualTo(dead);
    assertThat(again.version()).isEqualTo(published > 0 ? published : MORE_THAN_THE_LOG_KEEPS + 1);
    assertThat(run(CommitKind.APPEND).version()).isEqualTo(again.version());
    assertThat(table.writers())
        .filteredOn(file -> file.startsWith("dt=1/"))
        .containsExactly("dt=1/commit-000001");
  }

  @Test
  void oneOfTwoLiveJobsWithOneTokenDoesTheWorkAndTheOtherReportsIt() throws Exception {
    WriteTransaction first = table.open().begin(table.request(CommitKind.APPEND, RUN));
    WriteTransaction second = table.open().begin(table.request(CommitKind.APPEND, RUN));
    Ledger firstLedger = TestTable.ledger(table.upload(first, List.of("dt=1")));
    Ledger secondLedger = TestTable.ledger(table.upload(second, List.of("dt=1")));
    CommitResult done = second.commit(secondLedger);
    CommitResult same = first.commit(firstLedger);
    assertThat(same.by()).isEqualTo(second.id());
    assertThat(same.version()).isEqualTo(done.version());
    assertThat(first.abortLostUploads()).isEqualTo(1);
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  /** The second job commits between any two calls of the first one's commit. */
  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      mode = Mode.INCLUDE,
      names = {"APPEND", "DYNAMIC"})
  void twoLiveJobsWithOneTokenDoTheWorkOnceHoweverTheyMeet(CommitKind kind) throws Exception {
    for (int turn = 1; turn < 20; turn++) {
      table = new TestTable();
      int at = turn;
      int[] calls = {0};
      WriteTransaction[] other = {null};
      WriteTransaction first =
          table
              .before(
                  (call, key) -> {
                    if (other[0] != null && ++calls[0] == at) {
                      Unchecked.run(() -> commit(other[0]));
                    }
                  })
              .begin(table.request(kind, RUN));
      other[0] = table.open().begin(table.request(kind, RUN));
      CommitResult result = first.commit(TestTable.ledger(table.upload(first, List.of("dt=1"))));
      assertThat(table.writers())
          .as("call %d", turn)
          .containsExactly("dt=1/" + CommitNames.word(result.by().id()));
      assertThat(table.history()).as("call %d", turn).hasSize(1);
    }
  }

  private void commit(WriteTransaction job) throws Exception {
    job.commit(TestTable.ledger(table.upload(job, List.of("dt=1"))));
  }

  @Test
  void aHostileRecordOfATokenStopsItsRunBeforeTheDecision() throws Exception {
    run(CommitKind.APPEND);
    others();
    Location at = table.paths.token(RUN);
    byte[] good = table.content(at);
    for (String[] change : HOSTILE) {
      table.rewrite(at, json -> json.replace(change[0], change[1]));
      assertStopped();
      table.store.put(at, ByteBuffer.wrap(good));
    }
    assertThat(run(CommitKind.APPEND).version()).isEqualTo(1);
  }

  @Test
  void aDamagedRecordOfATokenStopsItsRunBeforeTheDecision() throws Exception {
    run(CommitKind.APPEND);
    others();
    Location at = table.paths.token(RUN);
    String sealed = new String(table.content(at), StandardCharsets.UTF_8);
    byte[] damaged =
        sealed.replace("\"version\":1", "\"version\":2").getBytes(StandardCharsets.UTF_8);
    table.store.put(at, ByteBuffer.wrap(damaged));
    assertStopped();
  }

  private void assertStopped() throws Exception {
    HeldObject head = table.store.objects().get(table.paths.head());
    Map<String, String> before = table.data();
    assertThatThrownBy(() -> run(CommitKind.APPEND)).isInstanceOf(InvalidRecordException.class);
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.store.objects().get(table.paths.head())).isEqualTo(head);
  }

  @Test
  void aTokenThatWasPublishedIsNotPublishedTwiceHoweverLongAgo() throws Exception {
    CommitResult first = table.commit(table.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    for (int job = 0; job < 80; job++) {
      table.commit(CommitKind.APPEND, "dt=2");
    }
    assertThat(table.head().logged(first.by())).isEmpty();
    Map<String, String> before = table.data();
    CommitResult again = table.commit(table.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    assertThat(again.by()).isEqualTo(first.by());
    assertThat(again.version()).isEqualTo(first.version());
    assertThat(table.data()).isEqualTo(before);
  }

  @Test
  void aTokenWhoseCommitIsUnfinishedIsFinishedAndNotDoneAgain() throws Exception {
    CommitId dead =
        table.unfinished(Step.VERIFY, table.request(CommitKind.APPEND, "run-1"), "dt=1");
    CommitResult again = table.commit(table.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    assertThat(again.by()).isEqualTo(dead);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void anotherTokenIsAnotherWrite() throws Exception {
    table.commit(table.request(CommitKind.APPEND, "run-1"), List.of("dt=1"));
    table.commit(table.request(CommitKind.APPEND, "run-2"), List.of("dt=1"));
    assertThat(table.files()).hasSize(2);
  }
}
