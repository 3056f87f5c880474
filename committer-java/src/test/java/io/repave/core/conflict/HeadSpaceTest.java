package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import io.repave.testing.VirtualClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The head keeps its bound: a commit waits when there is no room for its entry. */
class HeadSpaceTest {
  private final TestTable table = new TestTable();

  private static ActiveCommit unfinished(int number) {
    List<String> folders = new ArrayList<>();
    for (int folder = 0; folder < 6; folder++) {
      folders.add("country=%05d/dt=2026-11-%02d/hour=12".formatted(number, folder));
    }
    return new ActiveCommit(
        new CommitId(TestTable.id(number), 0),
        CommitKind.APPEND,
        CommitState.PENDING,
        1,
        0,
        "token-of-the-scheduler-" + number,
        VirtualClock.START_MILLIS,
        2_000,
        Footprint.of(folders, List.of()).outline());
  }

  @Test
  void theHeadKeepsItsBoundHoweverManyCommitsAreUnfinished() {
    Head head = Head.first("table", Readers.LISTING);
    int withOutline = 0;
    for (int number = 0; ; number++) {
      Optional<Head> next = HeadSpace.adding(head, unfinished(number));
      if (next.isEmpty()) {
        break;
      }
      head = next.get();
      withOutline += head.active().get(number).touched().equals(List.of("")) ? 0 : 1;
    }
    assertThat(head.active().size()).isGreaterThan(60);
    assertThat(withOutline).isBetween(10, head.active().size() - 1);
    assertThat(HeadJson.write(head).length).isLessThanOrEqualTo(HeadSpace.BYTES_MAX);
    for (ActiveCommit commit : head.active()) {
      head =
          head.logging(
              new LoggedCommit(commit.id(), commit.kind(), 1, commit.token(), commit.touched()));
    }
    assertThat(HeadJson.write(head).length).isLessThanOrEqualTo(HeadSpace.BYTES_MAX);
  }

  @Test
  void aShortEntryStillNamesTheFoldersOutside() {
    ActiveCommit entry =
        new ActiveCommit(
            new CommitId(TestTable.id(1), 0),
            CommitKind.APPEND,
            CommitState.PENDING,
            1,
            0,
            "",
            0,
            2_000,
            List.of("dt=1", "dt=2", "s3://cold/x"));
    assertThat(entry.shortened().touched()).containsExactly("", "s3://cold/x");
    assertThat(entry.shortened().shortened().touched()).containsExactly("", "s3://cold/x");
  }

  @Test
  void aCommitThatFindsNoRoomWaitsUntilOthersAreFinished() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1");
    Head before = table.head();
    Head full = before;
    for (int number = 0; HeadSpace.adding(full, unfinished(number)).isPresent(); number++) {
      full = full.adding(unfinished(number).shortened());
    }
    put(full);
    AtomicBoolean finished = new AtomicBoolean();
    table.clock.onAdvance(
        now -> {
          if (now > 5_000 && finished.compareAndSet(false, true)) {
            put(before);
          }
        });

    long begun = table.clock.tickMillis();
    assertThat(begun).isLessThan(5_000);
    table.commit(CommitKind.APPEND, "dt=2");
    assertThat(table.clock.tickMillis()).isGreaterThan(5_000);
    assertThat(table.writers()).contains("dt=2/commit-000003");
    assertThat(table.head().active()).hasSize(1);
  }

  private void put(Head head) {
    Unchecked.run(() -> table.store.put(table.paths.head(), ByteBuffer.wrap(HeadJson.write(head))));
  }
}
