package io.repave.sim;

import io.repave.core.conflict.ConcurrentCommits;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.record.WaitingCommit;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.testing.InterceptingStore;
import io.repave.testing.StoreCall;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * Broken protocols, each the real engine with one rule of docs/protocol.md, sections 4 and 5,
 * broken: what it reads or writes is changed on the way.
 */
enum CrowdMutant implements Protocol {
  /** No mutant: the real engine behind the same interceptors. */
  CONTROL,
  /** Vacuum does not say from which version on the history and the files are still there. */
  VACUUM_WITHOUT_WATERMARK,
  /** Vacuum deletes first and moves the watermarks when it is done. */
  VACUUM_DELETES_FIRST,
  /** Vacuum ends the history first, and dies before it deletes the files that it replaced. */
  VACUUM_FORGETS_FIRST,
  /** Vacuum marks the jobs that it cancels, but does not change the fence. */
  VACUUM_WITHOUT_FENCE,
  /** Vacuum changes the fence, but does not mark the jobs that it cancels. */
  VACUUM_WITHOUT_MARK,
  /** The retention counts from the beginning of the job. */
  RETENTION_FROM_THE_BEGINNING,
  /** A driver that slept publishes its commit although others revert it. */
  PUBLISHES_WHAT_IS_REVERTED,
  /** An append leaves dead appends alone, because it does not conflict with them. */
  LEAVES_DEAD_APPENDS,
  /** A lost race uses up the tries of an outage. */
  RACE_IS_OUTAGE,
  /** A commit does not hold back for one that is overtaken all the time. */
  NEVER_YIELDS,
  /** A commit holds back for as long as the other one waits. */
  YIELDS_FOR_EVER,
  /** Nobody clears the entry of a commit that waits. */
  WAITING_STAYS,
  /** A commit is reserved however large the head is. */
  HEAD_WITHOUT_LIMIT,
  /** A program may repeat its own write. */
  ALWAYS_REPEATS,
  /** A job that finds its token used after its tasks does not look whose write it was. */
  LOOKS_ONCE,
  /** A token whose history ended counts as a repetition of a write that nobody knows. */
  REPEATS_THE_FORGOTTEN;

  /** The processes of a schedule that may be broken. */
  enum Role {
    WRITER,
    VACUUM,
    OPERATOR
  }

  /** A process of a schedule, broken if this mutant breaks its role. */
  World.Process altered(Role role, World.Process process) {
    Location head = process.world().paths.head();
    Location records = process.world().paths.records();
    return process
        .through(store -> role == Role.VACUUM ? vacuum(store, head, records) : store)
        .through(store -> role == Role.VACUUM ? store : other(store, head));
  }

  private ObjectStore vacuum(ObjectStore store, Location head, Location records) {
    return switch (this) {
      case VACUUM_WITHOUT_WATERMARK ->
          writing(
              store,
              head,
              (last, next) ->
                  next.change()
                      .historyFrom(last.historyFrom())
                      .oldestVersion(last.oldestVersion())
                      .vacuumedVersion(last.vacuumedVersion())
                      .done());
      case VACUUM_DELETES_FIRST -> new DeferredWatermark(store, head);
      case VACUUM_FORGETS_FIRST -> keepingFiles(store, records);
      case VACUUM_WITHOUT_FENCE ->
          writing(store, head, (last, next) -> next.change().fence(last.fence()).done());
      case VACUUM_WITHOUT_MARK -> withoutMarks(store, records.resolve("refused"));
      case RETENTION_FROM_THE_BEGINNING -> withoutTimes(store);
      default -> store;
    };
  }

  private ObjectStore other(ObjectStore store, Location head) {
    return switch (this) {
      case PUBLISHES_WHAT_IS_REVERTED ->
          new HeadRewriter(
              store,
              head,
              now -> states(now, CommitState.REVERTING, CommitState.PENDING),
              CrowdMutant::keepReverting);
      case RACE_IS_OUTAGE -> lostRacesAreOutages(store, head);
      case NEVER_YIELDS ->
          new HeadRewriter(
              store,
              head,
              now -> now.change().waiting(Optional.empty()).done(),
              (last, next) -> next.change().waiting(next.waiting().or(last::waiting)).done());
      case WAITING_STAYS ->
          writing(
              store,
              head,
              (last, next) -> next.change().waiting(next.waiting().or(last::waiting)).done());
      default -> store;
    };
  }

  private static ObjectStore writing(
      ObjectStore store, Location head, BinaryOperator<Head> written) {
    return new HeadRewriter(store, head, UnaryOperator.identity(), written);
  }

  private static Head states(Head head, CommitState from, CommitState to) {
    return head.change()
        .active(head.active().stream().map(it -> it.state() == from ? in(it, to) : it).toList())
        .done();
  }

  private static ActiveCommit in(ActiveCommit it, CommitState state) {
    return new ActiveCommit(
        it.id(),
        it.kind(),
        state,
        it.base(),
        it.version(),
        it.token(),
        it.reservedMillis(),
        it.heartbeatMillis(),
        it.touched());
  }

  /** Commits that others revert stay in that state, unless this process publishes them. */
  private static Head keepReverting(Head last, Head next) {
    Head kept = next;
    for (ActiveCommit commit : last.active()) {
      boolean pending =
          next.active(commit.id()).filter(it -> it.state() == CommitState.PENDING).isPresent();
      if (commit.state() == CommitState.REVERTING && pending) {
        kept = kept.replacing(commit);
      }
    }
    return kept;
  }

  private static ObjectStore withoutMarks(ObjectStore store, Location marks) {
    return new InterceptingStore(store) {
      @Override
      protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
        return call == StoreCall.PUT && marks.holds(at) ? null : run.run();
      }
    };
  }

  private static ObjectStore keepingFiles(ObjectStore store, Location records) {
    return new InterceptingStore(store) {
      @Override
      public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
        List<Location> left = keys.stream().filter(records::holds).toList();
        return left.isEmpty() ? List.of() : super.delete(left);
      }
    };
  }

  private static ObjectStore withoutTimes(ObjectStore store) {
    return new InterceptingStore(store) {
      @Override
      public Optional<ListedObject> head(Location at) throws StoreException {
        return super.head(at)
            .map(
                it ->
                    new ListedObject(it.key(), it.bytes(), it.etag(), 0, ListedObject.UNKNOWN_AGE));
      }
    };
  }

  private static ObjectStore lostRacesAreOutages(ObjectStore store, Location head) {
    return new InterceptingStore(store) {
      @Override
      protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
        try {
          return run.run();
        } catch (StoreException e) {
          if (call == StoreCall.PUT_IF_MATCH && head.equals(at)) {
            throw new StoreException(StoreException.Kind.UNKNOWN, e.getMessage());
          }
          throw e;
        }
      }
    };
  }

  @Override
  public Job begin(World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    // The parts of a mutant's job do not adopt, so they fit a listing table only.
    boolean append = spec.kind() == CommitKind.APPEND && process.world().readers == Readers.LISTING;
    if (append && (this == LEAVES_DEAD_APPENDS || this == HEAD_WITHOUT_LIMIT)) {
      TableContext context = process.context(settings);
      Mutant parts = this == HEAD_WITHOUT_LIMIT ? Mutant.IGNORES_HEAD_SPACE : Mutant.CONTROL;
      VersionedHead begun = context.heads().read();
      return new MutantJob(parts, context, spec, begun);
    }
    if (this == REPEATS_THE_FORGOTTEN) {
      return repeatingTheForgotten(process, settings, spec);
    }
    if (this == LOOKS_ONCE) {
      return lookingOnce(process, settings, spec);
    }
    JobSpec run = this == ALWAYS_REPEATS ? spec.by("") : spec;
    Job job = Protocol.REAL.begin(process, settings, run);
    return this == YIELDS_FOR_EVER ? yielding(job, process.context(settings), spec) : job;
  }

  private static Job repeatingTheForgotten(
      World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    try {
      return Protocol.REAL.begin(process, settings, spec);
    } catch (InvalidConfigException refused) {
      if (refused.getMessage().contains("repave.history.retention")) {
        return new Job() {
          @Override
          public void commit(Ledger ledger) {}

          @Override
          public void abort(Ledger ledger) {}
        };
      }
      throw refused;
    }
  }

  /** After its begin, the job finds no ledger of a published commit with its token. */
  private static Job lookingOnce(World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    boolean[] begun = {false};
    World world = process.world();
    World.Process blind =
        process.through(
            store ->
                new InterceptingStore(store) {
                  @Override
                  public Optional<StoredObject> read(Location at, long most) throws StoreException {
                    boolean hidden =
                        begun[0]
                            && world.checker.versions().stream()
                                .flatMap(it -> world.checker.published(it).stream())
                                .filter(it -> it.token().equals(spec.token()))
                                .anyMatch(it -> world.paths.uploads(it.id()).equals(at));
                    return hidden ? Optional.empty() : super.read(at, most);
                  }
                });
    Job job = Protocol.REAL.begin(blind, settings, spec);
    begun[0] = true;
    return job;
  }

  /** Waits for a commit that waits; {@link ConcurrentCommits} knows nothing of it. */
  private static Job yielding(Job job, TableContext context, JobSpec spec) {
    return new Job() {
      @Override
      public void commit(Ledger ledger) throws IOException, InterruptedException {
        while (isInItsWay(context.heads().read().head().flatMap(Head::waiting))) {
          context.clock().sleep(250);
        }
        job.commit(ledger);
      }

      private boolean isInItsWay(Optional<WaitingCommit> waiting) {
        return waiting.filter(it -> !it.id().id().equals(spec.commit())).isPresent();
      }

      @Override
      public void abort(Ledger ledger) throws IOException, InterruptedException {
        job.abort(ledger);
      }
    };
  }

  @Override
  public void vacuum(World.Process process, EngineSettings settings, long retention)
      throws IOException, InterruptedException {
    Protocol.REAL.vacuum(process, settings, retention);
    if (process.store() instanceof DeferredWatermark deferred) {
      deferred.write(process.context(settings));
    }
  }

  /** The kinds that this mutant breaks; a schedule of others would not show it. */
  List<CrowdPlan.Recipe> recipes() {
    return switch (this) {
      case PUBLISHES_WHAT_IS_REVERTED -> List.of(CrowdPlan.Recipe.CANCEL);
      case LEAVES_DEAD_APPENDS -> List.of(CrowdPlan.Recipe.APPENDS);
      case NEVER_YIELDS, YIELDS_FOR_EVER, WAITING_STAYS -> List.of(CrowdPlan.Recipe.BUSY);
      case HEAD_WITHOUT_LIMIT -> List.of(CrowdPlan.Recipe.HUNDRED);
      case ALWAYS_REPEATS, LOOKS_ONCE, REPEATS_THE_FORGOTTEN -> List.of(CrowdPlan.Recipe.PROGRAMS);
      case VACUUM_WITHOUT_MARK, RETENTION_FROM_THE_BEGINNING -> List.of(CrowdPlan.Recipe.APPENDS);
      default -> List.of(CrowdPlan.Recipe.MIXED, CrowdPlan.Recipe.APPENDS);
    };
  }
}
