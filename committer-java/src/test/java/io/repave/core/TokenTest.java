package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.ConflictPolicy;
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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A token stands for work that is done once, however often it is tried. */
class TokenTest {
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

  private Lake lake = new Lake();

  private CommitResult run(CommitKind kind) throws Exception {
    return lake.commit(lake.request(kind, RUN), List.of("dt=1"));
  }

  private void others() throws Exception {
    lake.checkpointEvery(5);
    for (int job = 0; job < MORE_THAN_THE_LOG_KEEPS; job++) {
      lake.commit(CommitKind.APPEND, "dt=2");
    }
  }

  private CommitId dead(Step death, CommitKind kind) throws Exception {
    WriteTransaction job = lake.dyingAt(death).begin(lake.request(kind, RUN));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(Lake.Died.class);
    return job.id();
  }

  private CommitRequest tokened(CommitKind kind, String application, String... scope) {
    CommitRequest named = lake.request(kind, RUN);
    List<String> replaced = kind == CommitKind.STATIC ? List.of(scope) : List.of();
    return new CommitRequest(named.commit(), kind, replaced, RUN, application, named.marker());
  }

  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      names = {"APPEND", "DYNAMIC", "STATIC"})
  void aTokenThatStandsForAnotherWriteIsRefusedBeforeAnyTask(CommitKind kind) throws Exception {
    lake.commit(tokened(CommitKind.STATIC, "", "dt=1"), List.of("dt=1"));
    Map<String, String> rows = lake.data();
    assertThatThrownBy(() -> lake.table().begin(tokened(kind, "", "dt=2")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("names one write")
        .hasMessageContaining("repave.run");
    assertThat(lake.data()).isEqualTo(rows);
  }

  @Test
  void aTokenIsRefusedToTheApplicationThatUsedItAndNotToTheNextOne() throws Exception {
    lake.commit(tokened(CommitKind.APPEND, "app-1"), List.of("dt=1"));
    assertThatThrownBy(() -> lake.table().begin(tokened(CommitKind.APPEND, "app-1")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("was made by this application");
    assertThat(lake.commit(tokened(CommitKind.APPEND, "app-2"), List.of("dt=1")).version())
        .isEqualTo(1);
    assertThat(lake.commit(tokened(CommitKind.APPEND, ""), List.of("dt=1")).version()).isEqualTo(1);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aTokenWhoseCommitIsUnfinishedIsRefusedToAnotherWriteToo() throws Exception {
    dead(Step.COMPLETE_UPLOADS, CommitKind.APPEND);
    assertThatThrownBy(() -> lake.table().begin(tokened(CommitKind.STATIC, "", "dt=9")))
        .isInstanceOf(InvalidConfigException.class);
    assertThat(run(CommitKind.APPEND).version()).isEqualTo(1);
  }

  @Test
  void aTokenWhoseCommitLostItsLedgerIsStillUsed() throws Exception {
    CommitId first = run(CommitKind.APPEND).by();
    lake.store.delete(List.of(lake.paths.uploads(first)));
    assertThat(lake.commit(tokened(CommitKind.APPEND, "app-2"), List.of("dt=1")).by())
        .isEqualTo(first);
  }

  @ParameterizedTest
  @CsvSource({
    "LISTING, APPEND", "LISTING, DYNAMIC", "LISTING, STATIC",
    "SNAPSHOT, APPEND", "SNAPSHOT, DYNAMIC", "SNAPSHOT, STATIC"
  })
  void aSecondRunIsTheFirstOne(Readers readers, CommitKind kind) throws Exception {
    lake = new Lake(readers);
    lake.commit(CommitKind.APPEND, "dt=1", "dt=3");
    CommitResult first = run(kind);
    List<String> live = lake.recorded();
    CommitResult second = run(kind);
    assertThat(second.by()).isEqualTo(first.by());
    assertThat(second.version()).isEqualTo(first.version());
    assertThat(second.report()).isEmpty();
    assertThat(lake.recorded()).isEqualTo(live);
    assertThat(lake.table().head().orElseThrow().version()).isEqualTo(first.version());
  }

  /** An overwrite that was done before others wrote must not replace their rows. */
  @Test
  void aSecondRunOfAnOverwriteLeavesWhatOthersWroteSince() throws Exception {
    run(CommitKind.DYNAMIC);
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    run(CommitKind.DYNAMIC);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.INCLUDE,
      names = {"PLAN", "COMPLETE_UPLOADS", "PUBLISH", "FINISH"})
  void aRunAfterARecoveryIsTheOneThatWasRecovered(Step death) throws Exception {
    CommitId dead = dead(death, CommitKind.APPEND);
    assertThat(lake.table().recover().get(0).version()).isEqualTo(1);
    CommitResult again = run(CommitKind.APPEND);
    assertThat(again.by()).isEqualTo(dead);
    assertThat(again.version()).isEqualTo(1);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }

  /** The dead run had published and not retired: success means that its old rows are gone too. */
  @ParameterizedTest
  @EnumSource(ConflictPolicy.class)
  void aSecondRunLeavesNothingBehindThatTheDeadOneWasToRetire(ConflictPolicy policy)
      throws Exception {
    lake.settings = lake.settings.with(policy);
    lake.commit(CommitKind.APPEND, "dt=1");
    CommitId dead = dead(Step.RETIRE, CommitKind.DYNAMIC);
    CommitResult again = run(CommitKind.DYNAMIC);
    assertThat(again.by()).isEqualTo(dead);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @Test
  void aRunThatWasNeverDecidedIsDoneAgain() throws Exception {
    dead(Step.RESERVE, CommitKind.APPEND);
    run(CommitKind.APPEND);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void aRunThatWasTakenBackIsDoneAgain() throws Exception {
    WriteTransaction job = lake.table().begin(lake.request(CommitKind.APPEND, RUN));
    var uploads = lake.upload(job, List.of("dt=1"));
    Location at = lake.paths.file("dt=1", uploads.get(0).name());
    lake.store.abort(at, uploads.get(0).uploadId());
    assertThatThrownBy(() -> job.commit(Lake.ledger(uploads))).hasMessageContaining("taken back");
    run(CommitKind.APPEND);
    others();
    run(CommitKind.APPEND);
    assertThat(lake.writers())
        .filteredOn(file -> file.startsWith("dt=1/"))
        .containsExactly("dt=1/commit-000002");
  }

  /** Nobody is in the way of an append, so it may stay unfinished until the log forgot it. */
  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      mode = Mode.INCLUDE,
      names = {"PLAN", "PUBLISH", "FINISH"})
  void aRunThatIsFinishedLongAfterItDiedKeepsItsVersion(Step death) throws Exception {
    CommitId dead = dead(death, CommitKind.APPEND);
    long published = lake.table().head().orElseThrow().version();
    others();
    assertThat(lake.table().head().orElseThrow().logged(dead)).isEmpty();
    CommitResult again = run(CommitKind.APPEND);
    assertThat(again.by()).isEqualTo(dead);
    assertThat(again.version()).isEqualTo(published > 0 ? published : MORE_THAN_THE_LOG_KEEPS + 1);
    assertThat(run(CommitKind.APPEND).version()).isEqualTo(again.version());
    assertThat(lake.writers())
        .filteredOn(file -> file.startsWith("dt=1/"))
        .containsExactly("dt=1/commit-000001");
  }

  @Test
  void oneOfTwoLiveJobsWithOneTokenDoesTheWorkAndTheOtherReportsIt() throws Exception {
    WriteTransaction first = lake.table().begin(lake.request(CommitKind.APPEND, RUN));
    WriteTransaction second = lake.table().begin(lake.request(CommitKind.APPEND, RUN));
    Ledger firstLedger = Lake.ledger(lake.upload(first, List.of("dt=1")));
    Ledger secondLedger = Lake.ledger(lake.upload(second, List.of("dt=1")));
    CommitResult done = second.commit(secondLedger);
    CommitResult same = first.commit(firstLedger);
    assertThat(same.by()).isEqualTo(second.id());
    assertThat(same.version()).isEqualTo(done.version());
    assertThat(first.sweep()).isEqualTo(1);
    assertThat(lake.store.openUploads()).isEmpty();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
  }

  /** The second job commits between any two calls of the first one's commit. */
  @ParameterizedTest
  @EnumSource(
      value = CommitKind.class,
      mode = Mode.INCLUDE,
      names = {"APPEND", "DYNAMIC"})
  void twoLiveJobsWithOneTokenDoTheWorkOnceHoweverTheyMeet(CommitKind kind) throws Exception {
    for (int turn = 1; turn < 20; turn++) {
      lake = new Lake();
      int at = turn;
      int[] calls = {0};
      WriteTransaction[] other = {null};
      WriteTransaction first =
          lake.through(
                  lake.turning(
                      name -> {
                        if (other[0] != null && ++calls[0] == at) {
                          commit(other[0]);
                        }
                      }))
              .begin(lake.request(kind, RUN));
      other[0] = lake.table().begin(lake.request(kind, RUN));
      CommitResult result = first.commit(Lake.ledger(lake.upload(first, List.of("dt=1"))));
      assertThat(lake.writers())
          .as("call %d", turn)
          .containsExactly("dt=1/" + CommitNames.word(result.by().id()));
      assertThat(lake.table().history()).as("call %d", turn).hasSize(1);
    }
  }

  private void commit(WriteTransaction job) {
    try {
      job.commit(Lake.ledger(lake.upload(job, List.of("dt=1"))));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aHostileRecordOfATokenStopsItsRunBeforeTheDecision() throws Exception {
    run(CommitKind.APPEND);
    others();
    Location at = lake.paths.token(RUN);
    byte[] good = lake.content(at);
    for (String[] change : HOSTILE) {
      lake.rewrite(at, json -> json.replace(change[0], change[1]));
      assertStopped();
      lake.store.put(at, ByteBuffer.wrap(good));
    }
    assertThat(run(CommitKind.APPEND).version()).isEqualTo(1);
  }

  @Test
  void aDamagedRecordOfATokenStopsItsRunBeforeTheDecision() throws Exception {
    run(CommitKind.APPEND);
    others();
    Location at = lake.paths.token(RUN);
    String sealed = new String(lake.content(at), StandardCharsets.UTF_8);
    byte[] damaged =
        sealed.replace("\"version\":1", "\"version\":2").getBytes(StandardCharsets.UTF_8);
    lake.store.put(at, ByteBuffer.wrap(damaged));
    assertStopped();
  }

  private void assertStopped() throws Exception {
    HeldObject head = lake.store.objects().get(lake.paths.head());
    Map<String, String> before = lake.data();
    assertThatThrownBy(() -> run(CommitKind.APPEND)).isInstanceOf(InvalidRecordException.class);
    assertThat(lake.data()).isEqualTo(before);
    assertThat(lake.store.objects().get(lake.paths.head())).isEqualTo(head);
  }
}
