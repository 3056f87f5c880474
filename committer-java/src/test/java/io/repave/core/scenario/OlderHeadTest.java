package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.DeltaReplay;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An older head is put back, say from a backup of the bucket, and newer records stay. */
class OlderHeadTest {
  private static final long HOUR = 3_600_000;

  private static byte[] head(TestTable table) throws Exception {
    return table.content(table.paths.head());
  }

  private static void putBack(TestTable table, byte[] head) throws Exception {
    table.store.put(table.paths.head(), ByteBuffer.wrap(head));
  }

  /** Otherwise the rows of the append would be replaced without a conflict. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aJobThatBeganAtALaterVersionPublishesNothing(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] old = head(table);
    table.commit(CommitKind.APPEND, "dt=3");
    table.commit(CommitKind.APPEND, "dt=3");
    List<TestJob> sleeping = new ArrayList<>();
    for (CommitKind kind : List.of(CommitKind.DYNAMIC, CommitKind.APPEND)) {
      sleeping.add(table.job(kind, "dt=1"));
    }
    putBack(table, old);
    table.commit(CommitKind.APPEND, "dt=1");
    Map<String, String> before = table.data();
    for (TestJob job : sleeping) {
      assertThatThrownBy(job::commit)
          .isInstanceOf(CommitConflictException.class)
          .hasMessageContaining("an older head was put back");
    }
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.head().active()).isEmpty();
  }

  /**
   * The numbers alone do not show it: the head has passed the job's base again, and the commit of
   * its partition is older than that.
   */
  @ParameterizedTest
  @CsvSource({"LISTING, 3", "SNAPSHOT, 3", "LISTING, 60", "SNAPSHOT, 60"})
  void aJobWhoseVersionBelongsToAnotherCommitNowPublishesNothing(Readers readers, int commits)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] old = head(table);
    table.commit(CommitKind.APPEND, "dt=3");
    table.commit(CommitKind.APPEND, "dt=3");
    TestJob sleeping = table.job(CommitKind.DYNAMIC, "dt=1");
    putBack(table, old);
    table.commit(CommitKind.APPEND, "dt=1");
    for (int i = 1; i < commits; i++) {
      table.commit(CommitKind.APPEND, "dt=3");
    }
    Map<String, String> before = table.data();
    assertThatThrownBy(sleeping::commit)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("names another commit as version")
        .hasMessageContaining("an older head was put back");
    assertThat(table.data()).isEqualTo(before);
    assertThat(table.head().active()).isEmpty();
  }

  /** A base in the log costs nothing to compare, so it stops an append too. */
  @Test
  void anAppendWhoseVersionBelongsToAnotherCommitNowPublishesNothing() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] old = head(table);
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob sleeping = table.job(CommitKind.APPEND, "dt=1");
    putBack(table, old);
    table.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(sleeping::commit)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("names another commit as version 2");
  }

  /** Otherwise the job would be told that its rows are there. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aTokenOfALaterVersionIsRefused(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] old = head(table);
    CommitRequest night = table.request(CommitKind.APPEND, "night/1");
    table.commit(night, List.of("dt=2"));
    putBack(table, old);
    assertThatThrownBy(() -> table.commit(night, List.of("dt=2")))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("the token night/1 was written at version")
        .hasMessageContaining("an older head was put back");
    assertThat(table.head().active()).isEmpty();
  }

  /** The commit of the token is in no version, although its version exists again. */
  @ParameterizedTest
  @CsvSource({"LISTING, 3", "SNAPSHOT, 3", "LISTING, 60", "SNAPSHOT, 60"})
  void aTokenWhoseVersionBelongsToAnotherCommitIsRefused(Readers readers, int commits)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] old = head(table);
    CommitRequest night = table.request(CommitKind.APPEND, "night/1");
    table.commit(night, List.of("dt=2"));
    putBack(table, old);
    for (int i = 0; i < commits; i++) {
      table.commit(CommitKind.APPEND, "dt=1");
    }
    CommitRequest again = table.request(CommitKind.APPEND, "night/1");
    assertThatThrownBy(() -> table.commit(again, List.of("dt=2")))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("the token night/1 was recorded for that one")
        .hasMessageContaining("an older head was put back");
    assertThat(table.head().active()).isEmpty();
  }

  /** Otherwise it deletes files that versions of the older head need. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aVacuumDeletesNothingWhenAnOlderHeadIsPutBackBeforeItsSwap(int commits) throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] old = head(table);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(10 * HOUR);
    List<String> files = new ArrayList<>();
    OnceBefore back =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH,
            () -> {
              putBack(table, old);
              for (int i = 0; i < commits; i++) {
                table.commit(CommitKind.APPEND, "dt=2");
              }
              files.addAll(table.recorded());
            });
    assertThatThrownBy(() -> table.before(back).vacuum(HOUR))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("An older head was put back")
        .hasMessageContaining("Nothing was deleted");
    assertThat(files).contains("dt=1/commit-000001");
    assertThat(table.writers()).containsAll(files);
    assertThat(table.head().oldestVersion()).isLessThanOrEqualTo(1);
  }

  /** It has deleted files by then, and says so. */
  @Test
  void aVacuumLeavesAHeadAloneThatIsPutBackAfterItsSwap() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1");
    byte[] old = head(table);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(10 * HOUR);
    OnceBefore back =
        new OnceBefore(
            (call, at) -> call == StoreCall.PUT_IF_MATCH && table.head().oldestVersion() > 1,
            () -> putBack(table, old));
    assertThatThrownBy(() -> table.before(back).vacuum(HOUR))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("while vacuum was deleting files");
    assertThat(head(table)).isEqualTo(old);
  }

  /** Otherwise it is reverted, because a later commit replaced one of its files. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aCommitThatWasPublishedIsNeitherRevertedNorPublishedAgain(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    List<byte[]> pending = new ArrayList<>();
    var ports =
        table
            .process()
            .progress(
                (step, done, total) -> {
                  if (step == Step.VERIFY) {
                    pending.add(table.content(table.paths.head()));
                  }
                })
            .ports();
    table.job(table.open(ports), CommitKind.DYNAMIC, "dt=1", "dt=2").commit();
    table.commit(CommitKind.DYNAMIC, "dt=2");
    putBack(table, pending.get(0));
    Map<String, String> before = table.data();
    assertThatThrownBy(() -> table.open().recover())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("its report exists, so an older head was put back");
    assertThat(table.data()).isEqualTo(before);
    assertThat(head(table)).isEqualTo(pending.get(0));
  }

  /** docs/operations.md, "A deleted head": the backup is put into a copy, and only read there. */
  @Test
  void aCopyOfTheFolderWithABackupOfTheHeadHasTheVersionOfTheBackup() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    byte[] backup = head(table);
    List<String> then = table.recorded();
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    table.store.delete(List.of(table.paths.head()));
    TestTable copy = new TestTable(table, new Location("lake", "copy"), Readers.SNAPSHOT, 100);
    for (Location at : List.copyOf(table.store.objects().keySet())) {
      Location to = copy.paths.root().resolve(table.paths.root().relative(at));
      copy.store.put(to, ByteBuffer.wrap(table.content(at)));
    }
    putBack(copy, backup);
    assertThat(copy.recorded()).isEqualTo(then).hasSize(2);
    assertThat(copy.writers()).containsAll(then);
  }

  /** Otherwise the Delta log would show the files of the lost commit for good. */
  @Test
  void aDeltaLogStopsAtTheVersionOfALostCommit() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    String columns =
        """
        {"type":"struct","fields":[\
        {"name":"id","type":"long","nullable":false,"metadata":{}}]}""";
    FactsReader facts = end -> FileFacts.NONE.withSchema(Schema.of(columns));
    table.open(table.process().facts(facts).ports()).follow(FollowerKind.DELTA);
    byte[] old = head(table);
    table.commit(CommitKind.APPEND, "dt=2026-11-23");
    putBack(table, old);
    table.commit(CommitKind.APPEND, "dt=2026-11-24");
    assertThat(table.head().followers().get(0).version()).isEqualTo(table.head().version() - 1);
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("was not written for this version of the table");
    table.open().unfollow(FollowerKind.DELTA);
    table.open(table.process().facts(facts).ports()).follow(FollowerKind.DELTA);
    List<String> live = DeltaReplay.of(table.store, table.paths).live().stream().sorted().toList();
    assertThat(live).hasSize(2).allMatch(it -> !it.contains("dt=2026-11-23"));
  }
}
