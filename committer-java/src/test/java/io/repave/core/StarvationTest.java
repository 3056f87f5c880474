package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.conflict.HeadSpace;
import io.repave.core.conflict.StarvationGuard;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.WaitingCommit;
import io.repave.core.store.Clock;
import io.repave.s3.SystemClock;
import io.repave.testing.MemoryScratch;
import io.repave.testing.SlowStore;
import io.repave.testing.ThreadFan;
import io.repave.testing.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
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

/** Every commit gets its turn, however many others there are. */
class StarvationTest {
  private static final long YIELD_MILLIS = 10_000;

  private final Lake lake = new Lake();

  private Optional<WaitingCommit> waiting() throws Exception {
    return lake.table().head().orElseThrow().waiting();
  }

  /** A process that asks others to let it pass. */
  private StarvationGuard asking(int job, String... folders) throws Exception {
    TableContext context =
        new TableContext(
            lake.ports(), lake.paths, lake.settings, new Meter(lake.clock, Progress.SILENT));
    CommitId id = new CommitId(Lake.id(job), lake.clock.wallMillis());
    LedgerSummary summary = new LedgerSummary(1, 1, new TreeSet<>(List.of(folders)));
    StarvationGuard guard =
        new StarvationGuard(
            context, new LedgerIndex(id, CommitKind.DYNAMIC, List.of(), "", "", "", summary, 0, 0));
    VersionedHead seen = context.heads().read();
    assertThat(guard.ask(seen, 2)).isEqualTo(seen);
    lake.clock.advance(2_000);
    assertThat(guard.ask(seen, 1)).isEqualTo(seen);
    guard.ask(seen, 2);
    return guard;
  }

  private long millisToCommit(CommitKind kind, String partition) throws Exception {
    long before = lake.clock.tickMillis();
    lake.commit(kind, partition);
    return lake.clock.tickMillis() - before;
  }

  @Test
  void aCommitThatWasOvertakenForAWhileAsksOthersToHoldBack() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    StarvationGuard guard = asking(900_000, "dt=1");
    assertThat(waiting().orElseThrow().touched()).containsExactly("dt=1");

    guard.withdraw();
    assertThat(waiting()).isEmpty();
  }

  @Test
  void aCommitToTheSameFolderHoldsBackOnceForAProcessThatDied() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    asking(900_000, "dt=1");

    assertThat(millisToCommit(CommitKind.APPEND, "dt=1"))
        .isBetween(YIELD_MILLIS, YIELD_MILLIS + 3_000);
    assertThat(waiting()).isEmpty();
    assertThat(millisToCommit(CommitKind.APPEND, "dt=1")).isLessThan(2_000);
  }

  @Test
  void aCommitToAnotherFolderDoesNotHoldBack() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    asking(900_000, "dt=1");

    assertThat(millisToCommit(CommitKind.APPEND, "dt=2")).isLessThan(2_000);
    assertThat(waiting()).isPresent();
  }

  /** Sixteen writers append all the time, so one of them is unfinished at almost any moment. */
  @Test
  void anOverwriteOfTheWholeTableGetsInBesideSteadyAppends() throws Exception {
    SlowStore slow = new SlowStore(lake.store, 1);
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
          "an overwrite beside 16 writers: %.1f s%n", (REAL.tickMillis() - begun) / 1e3);
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
    Ports ports =
        new Ports(
            new CountedStore(slow),
            REAL,
            () -> UUID.randomUUID().toString(),
            new ThreadFan(2),
            MemoryScratch::new,
            Progress.SILENT);
    List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
    CommitRequest request =
        new CommitRequest(UUID.randomUUID().toString(), kind, scope, "", "_SUCCESS");
    WriteTransaction job =
        Table.open(ports, lake.paths, lake.settings.with(ConflictPolicy.LAST_WRITER))
            .begin(request);
    job.commit(Lake.ledger(lake.upload(job, List.of("dt=1"))));
    return null;
  }

  private static final Clock REAL = new SystemClock();

  private static ActiveCommit unfinished(int number) {
    List<String> folders = new ArrayList<>();
    for (int folder = 0; folder < 6; folder++) {
      folders.add("country=%05d/dt=2026-11-%02d/hour=12".formatted(number, folder));
    }
    return new ActiveCommit(
        new CommitId(Lake.id(number), 0),
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
      withOutline += head.active().get(number).touched().isEmpty() ? 0 : 1;
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
  void aCommitThatFindsNoRoomWaitsUntilOthersAreFinished() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    lake.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1");
    Head before = lake.table().head().orElseThrow();
    Head full = before;
    for (int number = 0; HeadSpace.adding(full, unfinished(number)).isPresent(); number++) {
      full = full.adding(unfinished(number).withoutOutline());
    }
    put(full);
    AtomicBoolean finished = new AtomicBoolean();
    lake.clock.onAdvance(
        now -> {
          if (now > 5_000 && finished.compareAndSet(false, true)) {
            put(before);
          }
        });

    long begun = lake.clock.tickMillis();
    assertThat(begun).isLessThan(5_000);
    lake.commit(CommitKind.APPEND, "dt=2");
    assertThat(lake.clock.tickMillis()).isGreaterThan(5_000);
    assertThat(lake.writers()).contains("dt=2/commit-000003");
    assertThat(lake.table().head().orElseThrow().active()).hasSize(1);
  }

  private void put(Head head) {
    try {
      lake.store.put(lake.paths.head(), ByteBuffer.wrap(HeadJson.write(head)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
