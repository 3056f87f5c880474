package io.repave.sim;

import io.repave.core.commit.CompleteUploads;
import io.repave.core.commit.Finish;
import io.repave.core.commit.Follow;
import io.repave.core.commit.Plan;
import io.repave.core.commit.Publish;
import io.repave.core.commit.RecordUploads;
import io.repave.core.commit.Reserve;
import io.repave.core.commit.Retire;
import io.repave.core.commit.Verify;
import io.repave.core.conflict.ConcurrentCommits;
import io.repave.core.conflict.ConflictChecker;
import io.repave.core.engine.Repeats;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.guard.LocationCheck;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitState;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A job of a mutant: the real steps in a wrong order, or with one step altered. */
final class MutantJob implements Protocol.Job {
  private final Mutant mutant;
  private final TableContext context;
  private final JobSpec spec;
  private final VersionedHead begun;
  private final CommitId id;
  private final Reserve reserve;

  MutantJob(Mutant mutant, TableContext context, JobSpec spec, VersionedHead begun) {
    this.mutant = mutant;
    this.context = context;
    this.spec = spec;
    this.begun = begun;
    this.id = new CommitId(spec.commit(), context.clock().wallMillis());
    ConflictChecker checker = new ConflictChecker(context);
    ConcurrentCommits concurrent =
        new ConcurrentCommits(
            context,
            checker,
            commits -> {
              context.clock().sleep(1_000);
              return Map.of();
            });
    this.reserve = new Reserve(context, checker, concurrent, begun, Repeats.NONE);
  }

  @Override
  public void commit(Ledger ledger) throws IOException, InterruptedException {
    LedgerIndex job =
        new LedgerIndex(
            id, spec.kind(), spec.scope(), spec.token(), "", "_SUCCESS", ledger.summary(), 0, 0);
    LedgerIndex index = new RecordUploads(context).run(job, ledger);
    if (mutant == Mutant.LISTS_EARLY) {
      new Plan(context).run(index, ledger, begun.head().orElseGet(this::first));
    }
    Optional<VersionedHead> seen = reserve(index, ledger);
    if (seen.isEmpty()) {
      return;
    }
    try {
      forward(mutant, context, index, ledger, seen.get());
    } catch (CommitFailedException taken) {
      throw taken;
    } catch (IOException e) {
      throw new CommitStateUnknownException("unfinished", e);
    }
  }

  static void forward(
      Mutant mutant, TableContext context, LedgerIndex index, Ledger ledger, VersionedHead seen)
      throws IOException, InterruptedException {
    CommitManifest plan = new Plan(context).resume(index, ledger, seen.head().orElseThrow());
    if (mutant == Mutant.RETIRES_FIRST) {
      new Retire(context).run(plan, seen);
    }
    Publish.Published published = new Publish.Published(seen, 0);
    if (mutant == Mutant.PUBLISHES_FIRST) {
      published = publish(mutant, context, index, ledger, seen);
    }
    Ledger doubts = new CompleteUploads(context).run(ledger);
    boolean wrongBack = mutant == Mutant.REVERTS_BY_ABORT || mutant == Mutant.REVERTS_UNRECORDED;
    if (wrongBack && new UnsafeRevert(context).lost(doubts)) {
      mutant.revert(context, index, ledger, seen);
    }
    new Verify(context).run(index, ledger, doubts, seen);
    if (mutant != Mutant.PUBLISHES_FIRST) {
      published = publish(mutant, context, index, ledger, seen);
    }
    List<Follower> forward = List.of();
    if (mutant == Mutant.CHECKPOINTS_BEFORE_FOLLOW) {
      new UnsafeFollow(context)
          .checkpoint(published.seen().head().orElseThrow(), published.seen().version());
    }
    if (mutant == Mutant.FOLLOWS_AFTER_RETIRE || mutant == Mutant.SYMLINKS_AFTER_RETIRE) {
      new Retire(context).run(plan, published.seen());
    }
    switch (mutant) {
      case FOLLOWS_WITHOUT_CONDITION -> new UnsafeFollow(context).append(plan);
      case SYMLINKS_WITHOUT_CONDITION -> new UnsafeSymlinks(context).overwrite(plan);
      case SYMLINKS_IN_PLACE -> new UnsafeSymlinks(context).inPlace(plan);
      default -> forward = new Follow(context).run(plan, published.seen());
    }
    if (mutant == Mutant.FOLLOWS_BACKWARDS || mutant == Mutant.SYMLINKS_BACKWARDS) {
      new UnsafeFollow(context).record(forward, published.seen());
    }
    new Retire(context).run(plan, published.seen());
    if (mutant == Mutant.CHECKPOINTS_NEWEST) {
      Head newest = context.heads().read().head().orElseThrow();
      new UnsafeFollow(context).checkpoint(newest, published.seen().version());
    }
    new Finish(context).run(index, plan, published, forward);
  }

  private static Publish.Published publish(
      Mutant mutant, TableContext context, LedgerIndex index, Ledger ledger, VersionedHead seen)
      throws IOException, InterruptedException {
    if (mutant == Mutant.PUBLISHES_BY_ITS_CLOCK) {
      context
          .heads()
          .update(seen, index.id(), now -> now.flatMap(head -> byItsClock(context, head, index)));
    }
    return new Publish(context).run(index, ledger, seen);
  }

  private static Optional<Head> byItsClock(TableContext context, Head head, LedgerIndex index) {
    Optional<ActiveCommit> own = head.active(index.id());
    if (own.isEmpty() || own.get().state() != CommitState.PENDING) {
      return Optional.empty();
    }
    ActiveCommit commit = own.get();
    long version = head.version() + 1;
    LoggedCommit logged =
        new LoggedCommit(
            commit.id(),
            commit.kind(),
            version,
            commit.token(),
            commit.touched(),
            context.clock().wallMillis());
    return Optional.of(
        head.replacing(commit.published(version)).logging(logged).change().version(version).done());
  }

  /** Empty when an earlier commit with the same token did the work. */
  private Optional<VersionedHead> reserve(LedgerIndex index, Ledger ledger)
      throws IOException, InterruptedException {
    return switch (mutant) {
      case DOES_NOT_WAIT ->
          Optional.of(context.heads().update(begun, this::reservedWithoutWaiting));
      case IGNORES_HEAD_SPACE ->
          Optional.of(context.heads().update(begun, now -> reservedInAnyHead(now, index)));
      case DOES_NOT_FENCE, TREATS_UNKNOWN_AS_FAILED -> Optional.of(reserveOnce(ledger));
      default -> {
        Reserve.Reservation reservation = reserve.run(index, locations(index, ledger));
        yield reservation.earlier().isPresent()
            ? Optional.empty()
            : Optional.of(reservation.seen());
      }
    };
  }

  private Optional<Reserve.Guard> locations(LedgerIndex index, Ledger ledger) {
    boolean inCatalog = begun.head().filter(Head::isInCatalog).isPresent();
    return inCatalog && mutant != Mutant.CATALOG_WITH_PLAIN_FOLDERS
        ? Optional.of(head -> new LocationCheck(context).requireFolder(index, ledger))
        : Optional.empty();
  }

  private Optional<Head> reservedWithoutWaiting(Optional<Head> now) {
    boolean there = now.flatMap(head -> head.active(id)).isPresent();
    return there ? Optional.empty() : Optional.of(reserved(now.orElseGet(this::first)));
  }

  private Optional<Head> reservedInAnyHead(Optional<Head> now, LedgerIndex index) {
    List<String> touched = index.footprint().outline();
    ActiveCommit entry =
        new ActiveCommit(
            id, spec.kind(), CommitState.PENDING, begun.version(), 0, "", 0, 0, touched);
    boolean there = now.flatMap(head -> head.active(id)).isPresent();
    return there ? Optional.empty() : Optional.of(now.orElseGet(this::first).adding(entry));
  }

  private VersionedHead reserveOnce(Ledger ledger) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    if (seen.head().filter(head -> !head.active().isEmpty()).isPresent()) {
      throw new CommitFailedException("another commit is unfinished");
    }
    try {
      return context.heads().swap(seen, reserved(seen.head().orElseGet(this::first)));
    } catch (StoreException e) {
      if (mutant == Mutant.DOES_NOT_FENCE) {
        VersionedHead now = context.heads().read();
        if (now.head().flatMap(head -> head.active(id)).isPresent()) {
          return now;
        }
      }
      new UnsafeRevert(context).abortUploads(ledger);
      throw new CommitFailedException("the mutant believes that it is not reserved", e);
    }
  }

  private Head first() {
    return Head.first("table", context.settings().readersOfNewTable());
  }

  private Head reserved(Head head) {
    return head.adding(
        new ActiveCommit(
            id, spec.kind(), CommitState.PENDING, head.version(), 0, "", 0, 0, List.of()));
  }

  @Override
  public void abort(Ledger ledger) throws IOException, InterruptedException {
    if (mutant == Mutant.ABORTS_UNCONDITIONALLY) {
      new UnsafeRevert(context).abortAndDelete(ledger);
    }
  }
}
