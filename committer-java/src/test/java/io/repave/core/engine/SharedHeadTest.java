package io.repave.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.Turns;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of one process share the head that one of them wrote last. */
class SharedHeadTest {
  private static final CommitId NOBODY = new CommitId(UUID.randomUUID().toString(), 1);

  private final TestTable table = new TestTable();
  private final SharedHead shared = new SharedHead(Turns.NONE);
  private final List<StoreCall> headCalls = new ArrayList<>();

  @BeforeEach
  void aTableWithAVersion() throws Exception {
    table.commit(CommitKind.APPEND, "dt=0");
  }

  private Ports ports(SharedHead ofProcess) {
    InterceptingStore noting =
        new InterceptingStore(table.counted) {
          @Override
          protected <T> T intercept(StoreCall call, Location at, Call<T> run)
              throws StoreException {
            if (at.equals(table.paths.head())) {
              headCalls.add(call);
            }
            return super.intercept(call, at, run);
          }
        };
    return table.process().heads(head -> ofProcess).ports().with(noting);
  }

  private HeadStore heads(SharedHead ofProcess) {
    Meter meter = new Meter(table.clock, Progress.SILENT);
    return new TableContext(ports(ofProcess), table.paths, table.settings(), meter).heads();
  }

  private static HeadStore.Change fence(String fence) {
    return head -> head.map(it -> fenced(it, fence));
  }

  private static Head fenced(Head head, String fence) {
    return head.change().fence(fence).done();
  }

  @Test
  void aSwapFromAnOldHeadStartsFromTheOneThatAnotherJobOfTheProcessWrote() throws Exception {
    VersionedHead old = heads(shared).read();
    heads(shared).update(old, fence("a"));
    heads(shared).update(old, fence("b"));
    headCalls.clear();
    VersionedHead last = heads(shared).update(old, fence("c"));
    assertThat(headCalls).containsExactly(StoreCall.PUT_IF_MATCH);
    assertThat(last).isEqualTo(heads(shared).read());
  }

  @Test
  void anotherProcessReadsTheHeadAfterALostRace() throws Exception {
    VersionedHead old = heads(shared).read();
    heads(shared).update(old, fence("a"));
    headCalls.clear();
    heads(new SharedHead(Turns.NONE)).update(old, fence("b"));
    assertThat(headCalls)
        .containsExactly(StoreCall.PUT_IF_MATCH, StoreCall.READ, StoreCall.PUT_IF_MATCH);
  }

  /** Another process may have changed the head since this one wrote it. */
  @Test
  void thatNothingHasToChangeIsNeverConcludedFromARememberedHead() throws Exception {
    VersionedHead old = heads(shared).read();
    VersionedHead remembered = heads(shared).update(old, fence("a"));
    VersionedHead current =
        heads(new SharedHead(Turns.NONE)).update(remembered, fence("elsewhere"));
    VersionedHead found =
        heads(shared).update(old, head -> head.filter(it -> !it.fence().equals("a")));
    assertThat(found).isNotEqualTo(remembered);
    assertThat(found.head().map(Head::version)).isEqualTo(current.head().map(Head::version));
    assertThat(heads(shared).read()).isEqualTo(found);
  }

  @Test
  void aHeadThatAnotherProcessReplacedLeadsNowhere() throws Exception {
    VersionedHead old = heads(shared).read();
    VersionedHead own = heads(shared).update(old, fence("a"));
    VersionedHead foreign = heads(new SharedHead(Turns.NONE)).update(own, fence("b"));
    heads(shared).update(foreign, fence("c"));
    assertThat(shared.newestSince(own)).isEqualTo(own);
  }

  @Test
  void aLateAnswerDoesNotBringAnOldHeadBack() throws Exception {
    VersionedHead first = heads(shared).read();
    SharedHead other = new SharedHead(Turns.NONE);
    VersionedHead second = heads(other).update(first, fence("a"));
    VersionedHead third = heads(other).update(second, fence("b"));
    shared.swapped(second, third);
    shared.swapped(first, second);
    assertThat(shared.newestSince(first)).isEqualTo(third);
    assertThat(shared.newestSince(second)).isEqualTo(third);
  }

  /** Otherwise each of these changes would start from the lost head again, without an end. */
  @ParameterizedTest
  @ValueSource(strings = {"b", "a"})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aHeadOfThisProcessThatWasPutBackIsTheCurrentOneAgain(String wanted) throws Exception {
    VersionedHead old = heads(shared).read();
    byte[] backup = table.content(table.paths.head());
    heads(shared).update(old, fence("a"));
    table.store.put(table.paths.head(), ByteBuffer.wrap(backup));
    VersionedHead seen = heads(shared).read();
    HeadStore.Change once =
        head -> head.filter(it -> !it.fence().equals(wanted)).map(it -> fenced(it, wanted));
    VersionedHead changed = heads(shared).update(seen, once);
    assertThat(changed.head().map(Head::fence)).contains(wanted);
    assertThat(heads(shared).read()).isEqualTo(changed);
  }

  /** The head of before its first job is put back, so the other job has nothing to wait for. */
  @ParameterizedTest
  @EnumSource(names = {"DYNAMIC", "APPEND"})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aJobOfThisProcessCommitsInAHeadThatWasPutBack(CommitKind kind) throws Exception {
    byte[] backup = table.content(table.paths.head());
    TestJob waiting = table.job(table.open(ports(shared)), kind, "dt=1");
    table.job(table.open(ports(shared)), CommitKind.DYNAMIC, "dt=1").commit();
    table.store.put(table.paths.head(), ByteBuffer.wrap(backup));
    waiting.commit();
    assertThat(table.recorded())
        .contains("dt=1/commit-000002")
        .doesNotContain("dt=1/commit-000003");
  }

  @Test
  void nothingIsRememberedAboutATableWithoutAHead() throws Exception {
    VersionedHead none = new VersionedHead(Optional.empty(), "");
    shared.swapped(none, heads(shared).read());
    assertThat(shared.newestSince(none)).isEqualTo(none);
  }

  @Test
  void onlyCommitsThatThisProcessReservedAreItsOwn() throws Exception {
    VersionedHead free = heads(shared).read();
    CommitId id = new CommitId(UUID.randomUUID().toString(), 1);
    ActiveCommit entry =
        new ActiveCommit(
            id, CommitKind.APPEND, CommitState.PENDING, 1, 0, "", 1, 0, List.of("dt=1"));
    VersionedHead reserved = heads(shared).swap(free, free.head().orElseThrow().adding(entry));
    SharedHead other = new SharedHead(Turns.NONE);
    assertThat(shared.namesCommitOfOthers(reserved, NOBODY)).isFalse();
    assertThat(other.namesCommitOfOthers(reserved, NOBODY)).isTrue();
    assertThat(other.namesCommitOfOthers(reserved, id)).isFalse();
  }

  @Test
  void jobsOfOneProcessThatOverlapInTimeLoseNoRaceAndReadNoHead() throws Exception {
    List<TestJob> inner = new ArrayList<>();
    InterceptingStore.Hook commitAnother =
        (call, at) -> {
          if (call == StoreCall.COMPLETE && !inner.isEmpty()) {
            TestJob job = inner.remove(0);
            Unchecked.run(job::commit);
          }
        };
    Ports ports = ports(shared);
    inner.add(table.job(table.open(ports), CommitKind.DYNAMIC, "dt=2"));
    Ports hooked = ports.with(InterceptingStore.before(ports.store(), commitAnother));
    TestJob outer = table.job(table.open(hooked), CommitKind.DYNAMIC, "dt=1");
    headCalls.clear();
    outer.commit();
    StoreCall swap = StoreCall.PUT_IF_MATCH;
    assertThat(headCalls).containsExactly(swap, swap, swap, swap, swap, swap);
    assertThat(table.head().version()).isEqualTo(3);
    assertThat(table.head().active()).isEmpty();
  }
}
