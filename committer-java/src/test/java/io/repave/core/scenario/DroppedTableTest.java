package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A table is dropped, and perhaps created again in the same folder, while a job runs. */
class DroppedTableTest {
  /** Removes everything in a folder, as a catalog's DROP or an operator does. */
  private static void remove(TestTable table, Location folder) throws IOException {
    List<Location> keys = new ArrayList<>(table.store.objects().keySet());
    keys.removeIf(at -> !folder.holds(at));
    table.store.delete(keys);
  }

  /** Otherwise snapshot readers would see only the job's rows, although the old files exist. */
  @ParameterizedTest
  @CsvSource({
    "SNAPSHOT, APPEND", "SNAPSHOT, DYNAMIC", "SNAPSHOT, STATIC",
    "LISTING, APPEND", "LISTING, DYNAMIC", "LISTING, STATIC"
  })
  void aJobDoesNotRecreateRecordsThatWereDroppedWhileItRan(Readers readers, CommitKind kind)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    TestJob job = table.job(kind, "dt=1");
    remove(table, table.paths.records());
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("dropped");
    assertThat(job.abort()).isTrue();
    assertThat(table.open().head()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000001");
  }

  /** The versions of two tables cannot be compared: the job would miss the new table's commits. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aJobReplacesNothingInATableThatWasRecreated(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    for (int version = 0; version < 4; version++) {
      table.commit(CommitKind.APPEND, "dt=1");
    }
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=1");
    remove(table, table.paths.root());
    table.commit(CommitKind.APPEND, "dt=1");
    Map<String, String> before = table.data();
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.recorded()).containsExactly("dt=1/commit-000006");
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theOutcomeOfAJobWhoseTableIsDroppedAfterTheDecisionIsUnknown(Readers readers)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    OnceBefore drop =
        new OnceBefore(
            (call, at) -> table.open().head().filter(it -> !it.active().isEmpty()).isPresent(),
            () -> remove(table, table.paths.root()));
    TestJob job = table.job(table.before(drop), CommitKind.APPEND, "dt=1");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("dropped");
    assertThat(drop.happened()).isTrue();
    assertThat(job.abort()).as("it was decided once").isFalse();
    assertThat(table.open().head()).isEmpty();
  }

  /** Others published the commit, and the table was dropped then: its files are gone, too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitIsNotCalledRevertedBecauseItsFilesWereDroppedWithTheTable(boolean begunAgain)
      throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    int[] completes = {0};
    InterceptingStore.Hook drop =
        (call, at) -> {
          if (call == StoreCall.COMPLETE && ++completes[0] == 1) {
            Unchecked.run(() -> table.open().recover());
            Unchecked.run(() -> remove(table, table.paths.root()));
            if (begunAgain) {
              Unchecked.run(() -> table.commit(CommitKind.APPEND, "dt=1"));
            }
            throw new StoreException(StoreException.Kind.UNKNOWN, "time-out");
          }
        };
    TestJob job = table.job(table.before(drop), CommitKind.APPEND, "dt=2");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("dropped");
    assertThat(job.abort()).isFalse();
  }

  /**
   * Its reservation landed without an answer, and others finished the commit. The head may come
   * back: the newest version of the object is what operators restore. A refusal may be the answer
   * to a request that the client repeated.
   */
  @ParameterizedTest
  @CsvSource({"SNAPSHOT, UNKNOWN", "SNAPSHOT, REFUSED", "LISTING, UNKNOWN", "LISTING, REFUSED"})
  void anAbortKeepsACommitThatMayHaveBeenPublishedBeforeTheHeadWasDeleted(
      Readers readers, StoreException.Kind answer) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    List<byte[]> newest = new ArrayList<>();
    InterceptingStore unanswered =
        new InterceptingStore(table.store) {
          @Override
          public String putIfMatch(Location at, ByteBuffer content, String etag)
              throws StoreException {
            super.putIfMatch(at, content, etag);
            Unchecked.run(() -> table.open().recover());
            newest.add(table.content(at));
            table.store.delete(List.of(at));
            throw new StoreException(answer, "no clear answer");
          }
        };
    TestJob job = table.job(table.through(unanswered), CommitKind.APPEND, "dt=2");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("dropped")
        .hasMessageContaining("It is not known whether another process had published the commit");
    assertThat(job.abort()).isFalse();
    table.store.put(table.paths.head(), ByteBuffer.wrap(newest.get(0)));
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
  }

  /**
   * The same for the commit that begins the table. Another job may begin it again. If this one did,
   * and died, its report would look like that of a head that was put back, and stop all recoveries.
   */
  @ParameterizedTest
  @CsvSource({"UNKNOWN, true", "REFUSED, true", "UNKNOWN, false", "REFUSED, false"})
  void anAbortKeepsAFirstCommitThatMayHaveBeenPublished(
      StoreException.Kind answer, boolean begunAgain) throws Exception {
    TestTable table = new TestTable();
    List<byte[]> newest = new ArrayList<>();
    List<TestJob> other = new ArrayList<>();
    InterceptingStore unclear =
        new InterceptingStore(table.store) {
          @Override
          public String putIfAbsent(Location at, ByteBuffer content) throws StoreException {
            String etag = super.putIfAbsent(at, content);
            if (!at.equals(table.paths.head()) || !newest.isEmpty()) {
              return etag;
            }
            Unchecked.run(() -> table.open().recover());
            newest.add(table.content(at));
            table.store.delete(List.of(at));
            if (begunAgain) {
              Unchecked.run(() -> other.get(0).commit());
            }
            throw new StoreException(answer, "no clear answer");
          }
        };
    TestJob job = table.job(table.through(unclear), CommitKind.DYNAMIC, "dt=1");
    // It looks at the folder before this one's records are there.
    other.add(table.job(CommitKind.APPEND, "dt=1"));
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    assertThat(job.abort()).isFalse();
    table.store.put(table.paths.head(), ByteBuffer.wrap(newest.get(0)));
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001");
  }

  /** A head that another job puts first is no reason for doubt. */
  @Test
  void aFirstCommitThatLosesTheRaceFailsAndIsAborted() throws Exception {
    TestTable table = new TestTable();
    OnceBefore race =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_ABSENT && at.equals(table.paths.head()),
            () -> table.commit(CommitKind.APPEND, "dt=1"));
    TestJob job = table.job(table.before(race), CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job::commit).isInstanceOf(CommitConflictException.class);
    assertThat(job.abort()).isTrue();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  /** Nothing is left to finish, also for a job that begins and finds the commit. */
  @ParameterizedTest
  @CsvSource({
    "SNAPSHOT, PUBLISH",
    "SNAPSHOT, FINISH",
    "LISTING, PUBLISH",
    "LISTING, RETIRE",
    "LISTING, FINISH"
  })
  void aRecoveryWhoseTableIsDroppedMeanwhileEnds(Readers readers, Step death) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(death, CommitKind.DYNAMIC, "dt=1");
    int[] reads = {0};
    OnceBefore drop =
        new OnceBefore(
            (call, at) -> at.equals(table.paths.head()) && ++reads[0] == 3,
            () -> remove(table, table.paths.root()));
    assertThat(table.before(drop).recover()).hasSize(1);
    assertThat(drop.happened()).isTrue();
    assertThat(table.open().head()).isEmpty();
  }

  /** Otherwise the rows of the next write with this token would be missing without notice. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aTokenThatIsRecordedAfterTheDropDoesNotCountInTheNextTable(Readers readers)
      throws Exception {
    TestTable table = new TestTable(readers);
    Location token = table.paths.token("nightly");
    OnceBefore drop =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT && at.equals(token),
            () -> {
              remove(table, table.paths.root());
              table.commit(CommitKind.APPEND, "dt=1");
              table.commit(CommitKind.APPEND, "dt=1");
            });
    table.job(table.before(drop), table.request(CommitKind.APPEND, "nightly"), "dt=1").commit();
    assertThat(drop.happened()).isTrue();
    assertThatThrownBy(() -> table.open().begin(table.request(CommitKind.APPEND, "nightly")))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("of a table that was in s3://lake/sales before this one")
        .hasMessageContaining("delete the record " + token);
    table.store.delete(List.of(token));
    table.commit(table.request(CommitKind.APPEND, "nightly"), List.of("dt=2"));
    assertThat(table.recorded()).contains("dt=2/commit-000005");
  }

  /** With the oldest version of the old table, no version of the new one would be readable. */
  @Test
  void aVacuumThatMeetsARecreatedTableChangesNothingInIt() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    for (int version = 0; version < 4; version++) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
    table.clock.advance(1_000_000);
    OnceBefore drop =
        new OnceBefore(
            StoreCall.PUT_IF_MATCH,
            () -> {
              remove(table, table.paths.root());
              table.commit(CommitKind.APPEND, "dt=1");
            });
    Table process = table.before(drop);
    assertThatThrownBy(() -> process.vacuum(0)).isInstanceOf(CommitConflictException.class);
    Head head = table.head();
    assertThat(head.oldestVersion()).isLessThanOrEqualTo(head.version());
    assertThat(table.recorded()).containsExactly("dt=1/commit-000005");
    assertThat(table.writers()).containsExactly("dt=1/commit-000005");
  }

  /** Otherwise its tasks would write files that listing readers see before the commit. */
  @Test
  void theSlowerOfTwoFirstJobsWithDifferentReadersIsRefused() throws Exception {
    TestTable table = new TestTable();
    TestTable slower = new TestTable(table, table.paths.root(), Readers.SNAPSHOT, 100);
    OnceBefore faster =
        new OnceBefore(StoreCall.PUT_IF_ABSENT, () -> table.commit(CommitKind.APPEND, "dt=1"));
    Table process = slower.before(faster);
    assertThatThrownBy(() -> process.begin(slower.request(CommitKind.APPEND)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.readers=listing");
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }
}
