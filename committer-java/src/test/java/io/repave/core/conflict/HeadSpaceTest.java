package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.StoreException;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import io.repave.testing.VirtualClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
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
        Footprint.of(folders).outline());
  }

  /** The head with as many unfinished commits as there is space for, numbered from the first on. */
  private static Head filled(Head head, int first) {
    Head full = head;
    for (int number = first; HeadSpace.adding(full, unfinished(number)).isPresent(); number++) {
      full = full.adding(unfinished(number).shortened());
    }
    return full;
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
    Head full = filled(before, 0);
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

  /** Otherwise one dead commit that needs an operator would stop every job of a busy table. */
  @Test
  void aCommitThatFindsNoRoomDoesNotWaitForOneThatCannotBeFinished() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId stuck = table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    table.store.put(table.paths.uploads(stuck), ByteBuffer.wrap(new byte[] {1}));
    Head before = table.head();
    table.clock.advance(table.settings().leaseMillis());
    Head full = filled(before, 10);
    put(full);
    AtomicBoolean finished = new AtomicBoolean();
    long begun = table.clock.tickMillis();
    table.clock.onAdvance(
        now -> {
          if (now > begun + 2_000 && finished.compareAndSet(false, true)) {
            put(before);
          }
        });
    table.commit(CommitKind.APPEND, "dt=2");
    assertThat(finished).isTrue();
    assertThat(table.head().active()).extracting(ActiveCommit::id).containsExactly(stuck);
  }

  @Test
  void aJobFailsWhenNoCommitOfAFullHeadCanBeFinished() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    Head full = filled(table.head(), 10);
    put(full);
    TestJob job = table.job(CommitKind.APPEND, "dt=2");
    assertThatThrownBy(job::commit).hasMessageContaining("blocks this job");
    assertThat(job.abort()).isTrue();
    assertThat(table.head()).isEqualTo(full);
  }

  /** A log so long that one more commit would make it longer than a head may be. */
  private static Head withLongLog(Head head) {
    return withLongLog(head, head.log().get(head.log().size() - 1));
  }

  private static Head withLongLog(Head head, LoggedCommit last) {
    List<LoggedCommit> log = new ArrayList<>(head.log());
    int each = HeadJson.write(head.logging(last)).length - HeadJson.write(head).length;
    long version = head.version();
    for (long bytes = 0; bytes < HeadSpace.LOG_BYTES_MAX; bytes += each) {
      CommitId id = new CommitId(TestTable.id((int) ++version), 0);
      log.add(
          new LoggedCommit(
              id, last.kind(), version, "", last.touched(), last.publishedMillis() + version));
    }
    return head.change().version(version).log(log).done();
  }

  /** So short folders are the most values that a log of this size can have. */
  @Test
  void aHeadThatIsFullIsReadable() throws Exception {
    List<String> folders = IntStream.range('0', 'z').mapToObj(Character::toString).toList();
    Head first = Head.first("table", Readers.LISTING);
    LoggedCommit last =
        new LoggedCommit(
            new CommitId(TestTable.id(1), 0),
            CommitKind.APPEND,
            1,
            "",
            folders,
            1_800_000_000_000L);
    Head full = withLongLog(first, last);
    assertThat(HeadSpace.isFull(full, unfinished(1))).isTrue();
    assertThat(HeadJson.read(HeadJson.write(full), "head")).isEqualTo(full);
    Head half = full.change().log(full.log().subList(0, full.log().size() / 2)).done();
    assertThat(HeadSpace.isFull(half, unfinished(1))).isFalse();
  }

  @Test
  void aCommitIsRefusedBeforeTheHeadOfATableWithoutCheckpointsIsTooLong() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    put(withLongLog(table.head()));
    byte[] before = table.content(table.paths.head());
    Table denied =
        table.before(
            (call, at) -> {
              if (call == StoreCall.PUT && at.key().contains("/checkpoints/")) {
                throw new StoreException(StoreException.Kind.DENIED, "403 for checkpoints");
              }
            });
    TestJob job = table.job(denied, CommitKind.APPEND, "dt=2");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("no checkpoint can be written: ")
        .hasMessageContaining("403 for checkpoints");
    assertThat(job.abort()).isTrue();
    assertThat(table.content(table.paths.head())).isEqualTo(before);
  }

  /** Otherwise the table would stay full when the cause is fixed. */
  @Test
  void aCommitFollowsWhenACheckpointCanBeWrittenAgain() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    put(withLongLog(table.head()));
    table.commit(CommitKind.APPEND, "dt=2");
    assertThat(table.head().log()).hasSize(32);
    assertThat(table.writers()).contains("dt=2/commit-000002");
  }

  /** One shows that checkpoints are possible. The second is that of the commit's end. */
  @Test
  void aCommitThatLosesRacesForAFullHeadTriesOneCheckpoint() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    put(withLongLog(table.head()));
    AtomicInteger swaps = new AtomicInteger();
    AtomicInteger checkpoints = new AtomicInteger();
    Table busy =
        table.before(
            (call, at) -> {
              if (call == StoreCall.PUT_IF_MATCH && swaps.incrementAndGet() <= 3) {
                throw new StoreException(StoreException.Kind.REFUSED, "another commit was faster");
              }
              if (call == StoreCall.PUT && at.key().contains("/checkpoints/")) {
                checkpoints.incrementAndGet();
              }
            });
    table.job(busy, CommitKind.APPEND, "dt=2").commit();
    assertThat(swaps).hasValueGreaterThan(3);
    assertThat(checkpoints).hasValue(2);
  }

  private void put(Head head) {
    Unchecked.run(() -> table.store.put(table.paths.head(), ByteBuffer.wrap(HeadJson.write(head))));
  }
}
