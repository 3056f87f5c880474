package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.SharedHead;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.WaitingCommit;
import io.repave.core.store.Clock;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.Turns;
import io.repave.hadoop.runtime.SystemClock;
import io.repave.testing.InterceptingClock;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.SlowStore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.Iterator;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    return asking(context, new CommitId(TestTable.id(job), table.clock.wallMillis()), folders);
  }

  private OvertakenCommit asking(TableContext context, CommitId id, String... folders)
      throws Exception {
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

  private void look(OvertakenCommit overtaken) throws Exception {
    overtaken.ask(table.context().heads().read(), 2);
  }

  private String asker() throws Exception {
    return waiting().map(it -> it.id().id()).orElse("");
  }

  /** What happens in a wait of a job. */
  @FunctionalInterface
  private interface Event {
    void happen() throws Exception;
  }

  /** A job that two commits overtake. The event happens once, after it asked others to wait. */
  private TestJob overtaken(ObjectStore store, Event event) throws Exception {
    table.configure(it -> it.conflicts(ConflictPolicy.LAST_WRITER));
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
    Iterator<Event> events =
        List.<Event>of(
                () -> {
                  table.open().recover();
                  table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=1");
                },
                event)
            .iterator();
    AtomicBoolean first = new AtomicBoolean(true);
    Clock clock =
        new InterceptingClock(table.clock) {

          @Override
          public void sleep(long millis) throws InterruptedException {
            table.clock.sleep(millis);
            try {
              if (events.hasNext() && (first.getAndSet(false) || waiting().isPresent())) {
                events.next().happen();
              }
            } catch (InterruptedException e) {
              throw e;
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          }
        };
    CommitRequest request = table.request(CommitKind.DYNAMIC, "run-1");
    return table.job(table.open(table.process(store).clock(clock).ports()), request, "dt=1");
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
  void theRequestOfAProcessThatDiedIsReplaced() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    asking(900_000, "dt=1");
    OvertakenCommit other = asking(900_001, "dt=2");
    assertThat(asker()).isEqualTo(TestTable.id(900_000));

    table.clock.advance(30_000);
    look(other);
    assertThat(asker()).isEqualTo(TestTable.id(900_001));
  }

  @Test
  void commitsThatWaitTakeTurnsOfTheWholeTime() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    OvertakenCommit one = asking(900_000, "dt=1");
    OvertakenCommit other = asking(900_001, "dt=2");
    List<String> askers = new ArrayList<>(List.of(asker()));
    for (int millis = 0; millis < 6 * YIELD_MILLIS; millis += 500) {
      table.clock.advance(500);
      look(one);
      look(other);
      if (!asker().equals(askers.get(askers.size() - 1))) {
        askers.add(asker());
      }
    }
    assertThat(askers).hasSizeBetween(5, 7).doesNotContain("");
  }

  @Test
  void aCommitWhoseRequestWasRemovedAsksAgain() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    OvertakenCommit overtaken = asking(900_000, "dt=1");
    table.commit(CommitKind.APPEND, "dt=1");
    assertThat(waiting()).isEmpty();

    look(overtaken);
    assertThat(asker()).isEqualTo(TestTable.id(900_000));
  }

  /** Nobody would remove its request. */
  @ParameterizedTest
  @EnumSource(names = {"PLAN", "FINISH"})
  void aCommitThatTurnsOutToBeDecidedDoesNotAsk(Step death) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId decided = table.unfinished(death, CommitKind.APPEND, "dt=1");
    asking(table.context(), decided, "dt=1");
    assertThat(waiting()).isEmpty();

    table.open().recover();
    asking(table.context(), decided, "dt=1");
    assertThat(waiting()).isEmpty();
  }

  /** Jobs of version 0.1 drop the request with every write of the head. */
  @Test
  void aCommitAsksAtMostOnceInTwoSeconds() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    OvertakenCommit overtaken = asking(900_000, "dt=1");
    overtaken.withdraw();
    table.clock.advance(1_999);
    look(overtaken);
    assertThat(waiting()).isEmpty();

    table.clock.advance(1);
    look(overtaken);
    assertThat(waiting()).isPresent();
  }

  @Test
  void aJobThatIsInterruptedInItsWaitNoLongerHoldsOthersBack() throws Exception {
    AtomicBoolean asked = new AtomicBoolean();
    TestJob job =
        overtaken(
            table.counted,
            () -> {
              asked.set(true);
              throw new InterruptedException();
            });
    assertThatThrownBy(job::commit).isInstanceOf(InterruptedException.class);
    assertThat(asked).isTrue();
    assertThat(waiting()).isEmpty();
  }

  @Test
  void aJobWhoseSwapIsRefusedNoLongerHoldsOthersBack() throws Exception {
    AtomicBoolean denied = new AtomicBoolean();
    ObjectStore store =
        new InterceptingStore(table.counted) {
          @Override
          protected <T> T intercept(StoreCall call, Location at, Call<T> run)
              throws StoreException {
            if (call == StoreCall.PUT_IF_MATCH && denied.compareAndSet(true, false)) {
              throw new StoreException(StoreException.Kind.DENIED, "expired");
            }
            return run.run();
          }
        };
    TestJob job =
        overtaken(
            store,
            () -> {
              table.open().recover();
              denied.set(true);
            });
    assertThatThrownBy(job::commit).isInstanceOf(CommitFailedException.class);
    assertThat(denied).isFalse();
    assertThat(waiting()).isEmpty();
  }

  @Test
  void aJobWhoseWorkIsDoneNoLongerHoldsOthersBack() throws Exception {
    TestJob job =
        overtaken(
            table.counted,
            () -> {
              table.open().recover();
              table.commit(table.request(CommitKind.DYNAMIC, "run-1"), List.of("dt=2"));
              assertThat(waiting()).isPresent();
            });
    assertThat(job.commit().by()).isNotEqualTo(job.id());
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
