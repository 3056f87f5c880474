package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.SharedHead;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.WaitingCommit;
import io.repave.core.store.Clock;
import io.repave.core.store.Turns;
import io.repave.hadoop.runtime.SystemClock;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.SlowStore;
import io.repave.testing.TestJob;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A commit that others overtake asks them to hold back, and gets its turn. */
class OvertakenCommitTest {
  private static final long YIELD_MILLIS = 10_000;
  private static final Clock REAL = new SystemClock();

  private final TestTable table = new TestTable();

  private Optional<WaitingCommit> waiting() throws Exception {
    return table.head().waiting();
  }

  /** A process that asks others to hold back. */
  private OvertakenCommit asking(int job, String... folders) throws Exception {
    return asking(table.context(), job, folders);
  }

  private OvertakenCommit asking(TableContext context, int job, String... folders)
      throws Exception {
    CommitId id = new CommitId(TestTable.id(job), table.clock.wallMillis());
    LedgerSummary summary = new LedgerSummary(1, 1, new TreeSet<>(List.of(folders)));
    OvertakenCommit overtaken =
        new OvertakenCommit(
            context, new LedgerIndex(id, CommitKind.DYNAMIC, List.of(), "", "", "", summary, 0, 0));
    VersionedHead seen = context.heads().read();
    assertThat(overtaken.ask(seen, 2)).isEqualTo(seen);
    table.clock.advance(2_000);
    assertThat(overtaken.ask(seen, 1)).isEqualTo(seen);
    overtaken.ask(seen, 2);
    return overtaken;
  }

  private long millisToCommit(CommitKind kind, String partition) throws Exception {
    long before = table.clock.tickMillis();
    table.commit(kind, partition);
    return table.clock.tickMillis() - before;
  }

  @Test
  void aCommitThatWasOvertakenForAWhileAsksOthersToHoldBack() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    OvertakenCommit overtaken = asking(900_000, "dt=1");
    assertThat(waiting().orElseThrow().touched()).containsExactly("dt=1");

    overtaken.withdraw();
    assertThat(waiting()).isEmpty();
  }

  @Test
  void aCommitToTheSameFolderHoldsBackOnceForAProcessThatDied() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    asking(900_000, "dt=1");

    assertThat(millisToCommit(CommitKind.APPEND, "dt=1"))
        .isBetween(YIELD_MILLIS, YIELD_MILLIS + 3_000);
    assertThat(waiting()).isEmpty();
    assertThat(millisToCommit(CommitKind.APPEND, "dt=1")).isLessThan(2_000);
  }

  /** It finds the request in a head that another job of its process wrote, without a lost race. */
  @Test
  void aCommitInItsTurnHoldsBackToo() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    SharedHead shared = new SharedHead(Turns.NONE);
    Ports process = table.process().heads(head -> shared).ports();
    Meter meter = new Meter(table.clock, Progress.SILENT);
    TableContext other = new TableContext(process, table.paths, table.settings(), meter);
    AtomicBoolean committing = new AtomicBoolean();
    OnceBefore reserved =
        new OnceBefore(
            (call, at) -> committing.get() && at.key().contains("/tokens/"),
            () -> asking(other, 900_000, "dt=1"));
    Ports hooked = process.with(InterceptingStore.before(table.counted, reserved));
    TestJob job = table.job(table.open(hooked), table.request(CommitKind.APPEND, "run-1"), "dt=1");

    committing.set(true);
    long before = table.clock.tickMillis();
    job.commit();
    assertThat(reserved.happened()).isTrue();
    assertThat(table.clock.tickMillis() - before).isGreaterThan(YIELD_MILLIS);
  }

  @Test
  void aCommitToAnotherFolderDoesNotHoldBack() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    asking(900_000, "dt=1");

    assertThat(millisToCommit(CommitKind.APPEND, "dt=2")).isLessThan(2_000);
    assertThat(waiting()).isPresent();
  }

  /** Sixteen writers append all the time, so one of them is unfinished at almost any moment. */
  @Test
  void anOverwriteOfTheWholeTableCommitsAmongSteadyAppends() throws Exception {
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    SlowStore slow = new SlowStore(table.store, 1);
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<?>> writers = new ArrayList<>();
    for (int writer = 0; writer < 16; writer++) {
      writers.add(
          threads.submit(
              () -> {
                while (!over.get()) {
                  commit(slow, CommitKind.APPEND);
                }
                return null;
              }));
    }
    Future<?> overwrite = threads.submit(() -> commit(slow, CommitKind.STATIC));
    try {
      long begun = REAL.tickMillis();
      overwrite.get(30, TimeUnit.SECONDS);
      System.out.printf(
          "an overwrite next to 16 writers: %.1f s%n", (REAL.tickMillis() - begun) / 1e3);
    } finally {
      over.set(true);
    }
    for (Future<?> writer : writers) {
      writer.get();
    }
    threads.shutdown();
    assertThat(waiting()).isEmpty();
  }

  private Void commit(SlowStore slow, CommitKind kind) throws Exception {
    Ports ports = TestPorts.withThreads(new CountedStore(slow), REAL).ports();
    List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
    CommitRequest request =
        new CommitRequest(UUID.randomUUID().toString(), kind, scope, "", "_SUCCESS");
    table.job(table.open(ports), request, "dt=1").commit();
    return null;
  }
}
