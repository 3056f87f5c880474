package io.repave.core.commit;

import io.repave.core.conflict.AwaitUnfinishedCommits;
import io.repave.core.conflict.ConcurrentCommits;
import io.repave.core.conflict.ConflictChecker;
import io.repave.core.conflict.Fence;
import io.repave.core.conflict.OvertakenCommit;
import io.repave.core.conflict.TokenCheck;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.HeadStore;
import io.repave.core.engine.Repeats;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitErrors;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.ConflictErrors;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.CommitsSince;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.Turns;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Step 2: decides the commit. Once the head names the commit, this or another process will finish
 * it. Before that, nothing of it is visible.
 *
 * <p>Requests: 1 PUT If-Match, and 1 GET each time another process wins the swap. 1 HEAD before
 * another try where a head may have been deleted. Those of a checkpoint if the head is full.
 * Readers see: the old rows. If the process dies here: the head says whether the commit is decided.
 */
public final class Reserve {
  /**
   * The head in which this commit is reserved. If {@code earlier} is present, that commit has
   * already done the same work under the same token, and this one is not reserved.
   */
  public record Reservation(VersionedHead seen, Optional<LoggedCommit> earlier) {}

  /** What else may stop the commit. It runs once, before the first request that may decide it. */
  @FunctionalInterface
  public interface Guard {
    /** Throws when the commit must not be reserved in this head. */
    void check(Head head) throws IOException, InterruptedException;
  }

  /**
   * A swap from an older head would probably lose. If its answer were lost too, the records that
   * settle the outcome may have been removed by vacuum since then.
   */
  private static final long STALE_MILLIS = 600_000;

  private final TableContext context;
  private final HeadStore heads;
  private final ConcurrentCommits concurrent;
  private final ConflictChecker checker;
  private final CommitsSince published;
  private final VersionedHead begun;
  private final Head empty;
  private final Repeats repeats;
  private final long begunMillis;
  private OvertakenCommit overtaken;
  private NextHead nextHead;
  private boolean sent;
  private boolean unanswered;

  /**
   * Waits for the unfinished commits that the job has to see, then takes the head as the job's
   * base; {@code first} is the head that was just read.
   */
  static Reserve begin(
      TableContext context, Recovery recovery, CommitRequest request, VersionedHead first)
      throws IOException, InterruptedException {
    ConflictChecker checker = new ConflictChecker(context);
    ConcurrentCommits concurrent = recovery.concurrent(context, checker);
    VersionedHead base =
        new AwaitUnfinishedCommits(context, checker, concurrent).run(request, first);
    return new Reserve(context, checker, concurrent, base, request.repeats());
  }

  /**
   * {@code begun} is the head when the job began; its version is the base. {@code repeats} are the
   * earlier writes that the job may repeat.
   */
  public Reserve(
      TableContext context,
      ConflictChecker checker,
      ConcurrentCommits concurrent,
      VersionedHead begun,
      Repeats repeats) {
    this.context = context;
    this.repeats = repeats;
    this.heads = context.heads();
    this.concurrent = concurrent;
    this.checker = checker;
    this.published = new CommitsSince(context);
    this.begun = begun;
    this.begunMillis = context.clock().tickMillis();
    this.empty = first(context);
    concurrent.observe(begun.head().orElse(empty));
  }

  /** The head of a table whose first commit this is. */
  static Head first(TableContext context) {
    Supplier<String> nonces = context.ports().nonces();
    Head first = Head.first(nonces.get(), context.settings().readersOfNewTable());
    List<Follower> followers =
        context.settings().followers().stream()
            .map(kind -> Follower.of(kind, "", nonces.get(), 0))
            .toList();
    return first.change().followers(followers).done();
  }

  /** The head when the job began; a first one for a table without records. */
  Head begun() {
    return begun.head().orElse(empty);
  }

  /** True after a request that may have decided the commit was sent. */
  public boolean sent() {
    return sent;
  }

  public Reservation run(LedgerIndex index, Optional<Guard> guard)
      throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.RESERVE, 0)) {
      return reserve(index, guard);
    } catch (StoreException e) {
      throw unresolved(index, e);
    } catch (InvalidRecordException e) {
      // The records that would tell whether an unanswered request decided the commit are gone.
      throw sent ? unresolved(index, e) : e;
    } catch (RuntimeException | VirtualMachineError | LinkageError e) {
      // The request may have landed before its answer could be read.
      if (sent) {
        throw unresolved(index, new IOException(e.toString(), e));
      }
      throw e;
    } catch (InterruptedException e) {
      if (sent) {
        Thread.currentThread().interrupt();
        throw unresolved(index, e);
      }
      throw e;
    }
  }

  /** Other commits hold back for one that waits: it tells them when it will not be reserved. */
  private Reservation reserve(LedgerIndex index, Optional<Guard> guard)
      throws IOException, InterruptedException {
    overtaken = new OvertakenCommit(context, index);
    nextHead = new NextHead(context, concurrent, overtaken, index, begun.version());
    try {
      Reservation reservation = decide(index, guard);
      if (reservation.earlier().isPresent()) {
        overtaken.withdraw();
      }
      return reservation;
    } catch (IOException | InterruptedException e) {
      boolean answers = !(e instanceof StoreException store && store.kind() == Kind.UNKNOWN);
      if (answers) {
        overtaken.withdraw();
      }
      throw e;
    }
  }

  private Reservation decide(LedgerIndex index, Optional<Guard> guard)
      throws IOException, InterruptedException {
    boolean unchecked = guard.isPresent();
    // A guard must see what was published since the job began.
    boolean stale = unchecked || context.clock().tickMillis() - begunMillis > STALE_MILLIS;
    VersionedHead seen = stale ? heads.read() : heads.freshIfBusy(begun, index.id());
    HeadStore.Tries tries = heads.tries();
    concurrent.forgetFailures();
    while (true) {
      Optional<Reservation> decided = decided(index, seen);
      if (decided.isPresent()) {
        return decided.get();
      }
      Optional<Head> next = next(index, seen);
      if (next.isEmpty()) {
        // Waiting was not a failed try: the next swap gets the whole retry budget.
        tries = heads.tries();
        seen = overtaken.ask(heads.read(), concurrent.waitedFor());
        continue;
      }
      if (unchecked) {
        // After the waits and the look-up of the token: a repeated write that changes nothing must
        // not fail, and the old files are those that this commit would replace.
        guard.get().check(seen.head().orElse(empty));
        unchecked = false;
      }
      boolean before = sent;
      VersionedHead basis = seen;
      try (Turns.Turn turn = heads.turn()) {
        basis = heads.basis(turn, seen, index.id());
        if (basis != seen) {
          next = nextWithoutWaiting(index, basis);
        }
        // A guard, or this turn, may have taken long. A stopped job gives up at its next look.
        if (next.isPresent() && !context.ports().stop().isGiven()) {
          sent = true;
          return new Reservation(swapped(basis, next.get(), index.id()), Optional.empty());
        }
      } catch (StoreException e) {
        if (!HeadStore.isOutcomeOpen(e) && !before) {
          // The store refused, and no other try is in flight: no fence is needed.
          sent = false;
          throw failed(index, e);
        }
        unanswered |= e.kind() == Kind.UNKNOWN;
        Optional<VersionedHead> again = tries.next(basis, e);
        seen = again.isPresent() ? again.get() : heads.read();
        if (again.isEmpty()) {
          giveUp(index, seen, failed(index, e));
        }
        continue;
      }
      seen = heads.readAfter(basis);
    }
  }

  /** An interrupt must not hide the answer that tells whether the commit is decided. */
  private VersionedHead swapped(VersionedHead basis, Head next, CommitId own)
      throws IOException, InterruptedException {
    // A guard may have taken longer than a lease since: others would treat the commit as dead.
    ActiveCommit entry = next.active(own).orElseThrow().reservedAt(context.clock().wallMillis());
    return context.runner().despiteInterrupt(() -> heads.swap(basis, next.replacing(entry)));
  }

  /** What an earlier try of this commit, or another commit with its token, decided. */
  private Optional<Reservation> decided(LedgerIndex index, VersionedHead from)
      throws IOException, InterruptedException {
    VersionedHead seen = from;
    while (true) {
      Head head = seen.head().orElse(empty);
      if (head.active(index.id()).isPresent()) {
        return Optional.of(new Reservation(seen, Optional.empty()));
      }
      Optional<LoggedCommit> earlier = earlier(index, seen);
      if (earlier.isEmpty()) {
        return Optional.empty();
      }
      if (!concurrent.waitedUntilFinished(earlier.get(), head)) {
        requireSame(index, earlier.get(), seen);
        return Optional.of(new Reservation(seen, earlier));
      }
      seen = heads.read();
    }
  }

  /** Another write may have got the token since the job began: its rows are not this job's. */
  private void requireSame(LedgerIndex index, LoggedCommit earlier, VersionedHead seen)
      throws IOException, InterruptedException {
    if (earlier.id().equals(index.id())) {
      return;
    }
    try {
      new TokenCheck(context).requireSame(index, repeats, earlier, seen.head().orElse(empty));
    } catch (InvalidConfigException other) {
      giveUp(index, seen, other);
    }
  }

  /**
   * The head with this commit reserved. Empty, after a wait, when the head has to be read again.
   * Throws when the commit may not be reserved.
   */
  private Optional<Head> next(LedgerIndex index, VersionedHead seen)
      throws IOException, InterruptedException {
    Optional<IOException> reason = reasonToFail(index, seen);
    if (reason.isPresent()) {
      giveUp(index, seen, reason.get());
      return Optional.empty();
    }
    try {
      return nextHead.orWait(seen.head().orElse(empty));
    } catch (IOException notFinished) {
      giveUp(index, seen, notFinished);
      return Optional.empty();
    }
  }

  private Optional<IOException> reasonToFail(LedgerIndex index, VersionedHead seen)
      throws IOException, InterruptedException {
    boolean mayBeDropped = sent && begun.head().isEmpty() && seen.head().isEmpty();
    if (mayBeDropped && fence().isPlanned(index.id())) {
      // An earlier try began the table. Another one would begin a table with old records of it.
      return Optional.of(
          ConflictErrors.droppedBeforeReserve(index.id().id(), context.paths().root()));
    }
    if (context.ports().stop().isGiven()) {
      return Optional.of(CommitErrors.stopped(index.id().id(), context.paths().root()));
    }
    return checker.reasonToFail(index, begun, seen);
  }

  /**
   * The same in this commit's turn, while other jobs of the process wait. Empty when the head has
   * to be examined outside the turn: this commit has to wait or to fail, or a record was not read.
   */
  private Optional<Head> nextWithoutWaiting(LedgerIndex index, VersionedHead seen)
      throws InterruptedException {
    Head head = seen.head().orElse(empty);
    try {
      boolean free =
          head.active(index.id()).isEmpty()
              && earlier(index, seen).isEmpty()
              && reasonToFail(index, seen).isEmpty();
      return free ? nextHead.atOnce(head) : Optional.empty();
    } catch (IOException again) {
      return Optional.empty();
    }
  }

  /** Finds out whether this commit is decided, after a reservation without a clear answer. */
  public Fence fence() {
    return new Fence(context, begun);
  }

  /** Throws {@code why}, unless the commit turns out to be decided after all. */
  private void giveUp(LedgerIndex index, VersionedHead seen, IOException why)
      throws IOException, InterruptedException {
    Fence.Finding found = sent ? fence().run(index.id(), seen, empty) : Fence.Finding.FENCED;
    if (found == Fence.Finding.PLANNED || found == Fence.Finding.LOST && unanswered) {
      // Others may have published it. If the head comes back, so does its version.
      throw begun.isDropped(seen.head()) || begun.head().isEmpty()
          ? CommitErrors.droppedWithoutAnswer(index.id().id(), context.paths().root(), why)
          : CommitErrors.setBackWithoutAnswer(
              index.id().id(), context.paths().root(), context.paths().head(), why);
    }
    if (found != Fence.Finding.DECIDED) {
      sent = false;
      throw why;
    }
  }

  /** This commit if it has already ended, or the commit that did the same work under its token. */
  private Optional<LoggedCommit> earlier(LedgerIndex index, VersionedHead seen)
      throws IOException, InterruptedException {
    Head head = seen.head().orElse(empty);
    Optional<LoggedCommit> own = head.logged(index.id());
    if (own.isEmpty() && sent) {
      own = published.find(index.id(), begun, head);
    }
    if (own.isEmpty()) {
      // From here on it can only become a later version, because this head does not reserve it.
      published.examined(seen);
      return new TokenCheck(context).published(index.token(), head);
    }
    if (own.get().reverted()) {
      throw CommitErrors.reverted(index.id().id());
    }
    return own;
  }

  private CommitFailedException failed(LedgerIndex index, Exception cause) {
    return CommitErrors.notReserved(index.id().id(), context.paths().head(), cause);
  }

  private IOException unresolved(LedgerIndex index, Exception cause) {
    if (!sent) {
      return failed(index, cause);
    }
    return CommitErrors.reservationUnknown(
        index.id().id(), context.paths().root(), context.paths().head(), cause);
  }
}
