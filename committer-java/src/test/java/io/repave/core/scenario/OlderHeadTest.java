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
import io.repave.testing.DeltaReplay;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An older head is put back, say from a backup of the bucket, and newer records stay. */
class OlderHeadTest {
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
