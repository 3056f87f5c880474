package io.repave.testing;

import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.SharedHead;
import io.repave.core.engine.StopSignal;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.store.Clock;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.RowFileFormat;
import io.repave.core.store.Scratch;
import io.repave.core.store.Turns;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Builds the ports of a process. Unless a test says otherwise, the process runs in one thread, its
 * nonces are numbered, its scratch space is in memory, and nobody listens to its progress.
 */
public final class TestPorts {
  private final ObjectStore store;
  private Clock clock;
  private Supplier<String> nonces = numberedNonces();
  private ParallelRunner runner = new SequentialRunner();
  private Scratch scratch = MemoryScratch::new;
  private SharedHead.Provider heads = head -> new SharedHead(Turns.NONE);
  private Progress progress = Progress.SILENT;
  private FactsReader facts = file -> FileFacts.NONE;
  private RowFileFormat rows = RowFileFormat.ABSENT;

  private TestPorts(ObjectStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  public static TestPorts of(ObjectStore store, Clock clock) {
    return new TestPorts(store, clock);
  }

  /** A process that runs at the same time as others: two threads, and nonces of its own. */
  public static TestPorts withThreads(ObjectStore store, Clock clock) {
    return of(store, clock)
        .runner(new ThreadedRunner(2))
        .nonces(() -> UUID.randomUUID().toString());
  }

  /** Nonces of one length. Processes of one table must share them: nonces never repeat. */
  public static Supplier<String> numberedNonces() {
    AtomicInteger last = new AtomicInteger(1_000_000);
    return () -> "nonce-" + last.incrementAndGet();
  }

  public TestPorts clock(Clock other) {
    clock = other;
    return this;
  }

  public TestPorts nonces(Supplier<String> other) {
    nonces = other;
    return this;
  }

  public TestPorts runner(ParallelRunner other) {
    runner = other;
    return this;
  }

  public TestPorts scratch(Scratch other) {
    scratch = other;
    return this;
  }

  /** What the process shares with others that count as one process; otherwise nothing. */
  public TestPorts heads(SharedHead.Provider other) {
    heads = other;
    return this;
  }

  public TestPorts progress(Progress other) {
    progress = other;
    return this;
  }

  public TestPorts facts(FactsReader other) {
    facts = other;
    return this;
  }

  public TestPorts rows(RowFileFormat other) {
    rows = other;
    return this;
  }

  public Ports ports() {
    return new Ports(
        store, clock, nonces, runner, scratch, heads, progress, facts, rows, StopSignal.NEVER);
  }
}
