package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.Ports;
import io.repave.core.engine.SharedHead;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.store.Clock;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.Turns;
import io.repave.hadoop.runtime.FairTurns;
import io.repave.hadoop.runtime.SystemClock;
import io.repave.testing.SlowStore;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many jobs commit to one table at the same time, in a store with latency. */
class ManyWritersTest {
  private final TestTable table = new TestTable();

  /** What many writers did, and what it cost. */
  private record Crowd(
      List<Long> commitMillis, long allMillis, long headWrites, long lostWrites, long ledgerReads) {
    long slowestMillis() {
      return Collections.max(commitMillis);
    }

    void print(String what) {
      List<Long> sorted = new ArrayList<>(commitMillis);
      Collections.sort(sorted);
      System.out.printf(
          "%s: %d commits in %.1f s; a commit took %.1f s (median), %.1f s (slowest);"
              + " %d writes of the head, %d lost%n",
          what,
          sorted.size(),
          allMillis / 1e3,
          sorted.get(sorted.size() / 2) / 1e3,
          slowestMillis() / 1e3,
          headWrites,
          lostWrites);
    }
  }

  private static final Clock REAL = new SystemClock();

  /** By default, every writer is a process of its own. */
  private SharedHead.Provider heads = head -> new SharedHead(Turns.NONE);

  /** Each writer commits {@code commits} times to its own partition. All begin together. */
  private Crowd run(int writers, int commits, CommitKind kind, int slowness) throws Exception {
    SlowStore slow = new SlowStore(table.store, slowness);
    CyclicBarrier begun = new CyclicBarrier(writers);
    List<Long> millis = Collections.synchronizedList(new ArrayList<>());
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    long start = REAL.tickMillis();
    List<Future<?>> ends = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      String partition = "dt=%05d".formatted(writer);
      ends.add(
          threads.submit(
              () -> {
                for (int commit = 0; commit < commits; commit++) {
                  millis.add(commit(slow, kind, partition, commit == 0 ? begun : null));
                }
                return null;
              }));
    }
    for (Future<?> end : ends) {
      end.get();
    }
    threads.shutdown();
    return new Crowd(
        millis,
        REAL.tickMillis() - start,
        slow.headWrites(),
        slow.lostHeadWrites(),
        slow.ledgerReads());
  }

  private long commit(ObjectStore store, CommitKind kind, String partition, CyclicBarrier begun)
      throws Exception {
    Ports ports = TestPorts.withThreads(new CountedStore(store), REAL).heads(heads).ports();
    CommitRequest request =
        new CommitRequest(UUID.randomUUID().toString(), kind, List.of(), "", "_SUCCESS");
    WriteTransaction job = table.open(ports).begin(request);
    Ledger ledger = TestTable.ledger(table.upload(job, List.of(partition)));
    if (begun != null) {
      begun.await();
    }
    long start = REAL.tickMillis();
    job.commit(ledger);
    return REAL.tickMillis() - start;
  }

  private void assertEachIsThere(int writers) throws Exception {
    Head head = table.head();
    assertThat(head.active()).isEmpty();
    assertThat(table.files()).hasSize(writers);
  }

  @Test
  void aHundredAppendsAtOnceAllCommitInSeconds() throws Exception {
    Crowd crowd = run(100, 1, CommitKind.APPEND, 1);
    crowd.print("100 appends at once");
    assertThat(table.head().version()).isEqualTo(100);
    assertEachIsThere(100);
    assertThat(crowd.allMillis()).isLessThan(60_000);
    assertThat(crowd.lostWrites()).isLessThan(10 * (crowd.headWrites() - crowd.lostWrites()));
  }

  @Test
  void writersOfOtherPartitionsReadNoLedgersOfEachOther() throws Exception {
    Crowd crowd = run(16, 4, CommitKind.DYNAMIC, 1);
    crowd.print("16 x 4 dynamic overwrites");
    assertThat(table.head().version()).isEqualTo(64);
    assertEachIsThere(16);
    assertThat(crowd.ledgerReads()).isZero();
  }

  @Test
  void writersOfOneProcessTakeTurnsAndLoseNoRaces() throws Exception {
    SharedHead ofProcess = new SharedHead(new FairTurns());
    heads = head -> ofProcess;
    table.commit(CommitKind.APPEND, "dt=00000");
    Crowd crowd = run(16, 4, CommitKind.DYNAMIC, 1);
    crowd.print("16 x 4 dynamic overwrites in one process");
    assertThat(table.head().version()).isEqualTo(65);
    assertEachIsThere(16);
    assertThat(crowd.lostWrites()).isZero();
    assertThat(crowd.headWrites()).isEqualTo(3 * 64);
  }

  @Test
  void writersOfTwoProcessesAllCommit() throws Exception {
    List<SharedHead> processes =
        List.of(new SharedHead(new FairTurns()), new SharedHead(new FairTurns()));
    AtomicInteger next = new AtomicInteger();
    heads = head -> processes.get(next.getAndIncrement() % 2);
    Crowd crowd = run(16, 4, CommitKind.DYNAMIC, 1);
    crowd.print("16 x 4 dynamic overwrites in two processes");
    assertThat(table.head().version()).isEqualTo(64);
    assertEachIsThere(16);
  }
}
