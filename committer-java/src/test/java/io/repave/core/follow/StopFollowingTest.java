package io.repave.core.follow;

import static io.repave.core.follow.DeltaLogTest.follow;
import static io.repave.core.follow.DeltaLogTest.followed;
import static io.repave.core.follow.DeltaLogTest.log;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Step;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A follower is switched off while a dead commit cannot be finished. */
class StopFollowingTest {
  /** What is wrong with the ledger of the dead commit. */
  private enum Fault {
    MISSING,
    DAMAGED,
    NEWER
  }

  /** When the record is back, the commit is finished, and does not write the log again. */
  @ParameterizedTest
  @EnumSource
  void aDeadCommitWithoutAReadableRecordIsNotWaitedFor(Fault fault) throws Exception {
    TestTable table = followed(Readers.LISTING);
    CommitId dead = table.unfinished(Step.PLAN, CommitKind.DYNAMIC, "dt=2026-11-22");
    Location ledger = table.paths.uploads(dead);
    byte[] content = table.content(ledger);
    spoil(table, ledger, fault);
    assertThatThrownBy(() -> table.open().recover()).isInstanceOf(InvalidRecordException.class);

    assertThat(table.open().unfollow(FollowerKind.DELTA)).isTrue();

    assertThat(table.head().followers()).isEmpty();
    assertThat(table.head().active(dead)).isPresent();
    assertThat(log(table).version()).isEqualTo(-1);
    table.store.put(ledger, ByteBuffer.wrap(content));
    table.open().recover();
    assertThat(table.recorded())
        .containsExactly("dt=2026-11-21/commit-000001", "dt=2026-11-22/commit-000002");
    assertThat(log(table).version()).isEqualTo(-1);
    follow(table);
    DeltaLogTest.assertFollowed(table);
  }

  private static void spoil(TestTable table, Location ledger, Fault fault) throws Exception {
    switch (fault) {
      case MISSING -> table.store.delete(List.of(ledger));
      case DAMAGED -> table.store.put(ledger, ByteBuffer.wrap(new byte[] {1}));
      case NEWER -> table.rewrite(ledger, it -> it.replace("\"format\":1", "\"format\":9"));
    }
  }
}
