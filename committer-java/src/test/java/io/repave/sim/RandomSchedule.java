package io.repave.sim;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Clock;
import io.repave.testing.Dialect;
import io.repave.testing.Dialect.Meanwhile;
import io.repave.testing.Fault;
import io.repave.testing.FaultSchedule;
import io.repave.testing.HeldUpload;
import io.repave.testing.InterceptingClock;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;

/**
 * One random schedule. The seed determines two or three jobs, a recoverer, sometimes an admin who
 * aborts an upload, the faults of each process, and the order in which they run.
 */
final class RandomSchedule {
  /** On AWS a DELETE before a late Complete may or may not hide the object. Both are simulated. */
  private static final List<Dialect> DIALECTS =
      List.of(Dialect.AWS, Dialect.AWS.with(Meanwhile.LOSES), Dialect.FORGETFUL, Dialect.CONFUSED);

  private static final List<CommitKind> KINDS =
      List.of(CommitKind.DYNAMIC, CommitKind.STATIC, CommitKind.APPEND);
  private static final List<StoreCall> DECISIVE =
      List.of(
          StoreCall.PUT_IF_ABSENT, StoreCall.PUT_IF_MATCH, StoreCall.COMPLETE, StoreCall.DELETE);
  private static final String[] PARTITIONS = {"p=1", "p=2", "p=3"};

  private final SplittableRandom random;
  private final Protocol protocol;
  private final World world;
  private final Interleaving interleaving;
  private final List<Runnable> bodies = new ArrayList<>();
  private final List<JobRun> jobs = new ArrayList<>();
  private final int faultsPerThousand;

  RandomSchedule(long seed, Consumer<String> trace) {
    this(seed, Protocol.REAL, trace);
  }

  RandomSchedule(long seed, Protocol protocol, Consumer<String> trace) {
    this.protocol = protocol;
    this.random = new SplittableRandom(seed);
    // Drawn apart, so that a seed gives the same jobs and faults with and without a follower.
    List<FollowerKind> followers = protocol.followers(new SplittableRandom(~seed));
    boolean snapshot = protocol.isEngine() && random.nextInt(4) == 0;
    boolean inCatalog = followers.stream().anyMatch(FollowerKind::isCatalog);
    Readers readers = snapshot || inCatalog ? Readers.SNAPSHOT : Readers.LISTING;
    this.world = new World(DIALECTS.get(random.nextInt(DIALECTS.size())), readers);
    world.trace(trace);
    world.follow(followers);
    if (protocol.includesVersion01()) {
      world.checker.allowMissingTimes();
    }
    this.interleaving = new Interleaving(random.nextLong(), world.clock);
    this.faultsPerThousand = new int[] {0, 20, 60, 150}[random.nextInt(4)];
    // No equal tokens for mutants: one that ignores tokens would be caught for that alone.
    boolean sameToken = protocol.isEngine() && random.nextInt(5) == 0;
    addJob("commit-aaaa", sameToken ? "night-1" : "");
    addJob("commit-bbbb", sameToken ? "night-1" : "");
    if (random.nextInt(3) == 0) {
      addJob("commit-cccc", sameToken ? "night-2" : "");
    }
    addRecoverer();
    if (random.nextInt(5) == 0 || protocol.needsAdmin()) {
      addAdmin();
    }
    List<FollowerKind> switched = protocol.switched(new SplittableRandom(~seed + 1));
    switched.forEach(kind -> addOperator(kind, switched.size() == 1 && random.nextBoolean()));
  }

  private World.Process process(String name) {
    FaultSchedule faults = FaultSchedule.random(random.nextLong(), faultsPerThousand, 40);
    if (random.nextInt(3) == 0) {
      faults = lateDecisive().or(faults);
    }
    return world.process(
        name, faults, random.nextLong() | 1, wrong(interleaving.clock()), interleaving::turn);
  }

  /** Some wall clocks are off by more than a lease. No rule may depend on them. */
  private Clock wrong(Clock right) {
    long skew = random.nextInt(3) == 0 ? random.nextLong(-World.SKEW_MILLIS, World.SKEW_MILLIS) : 0;
    return new InterceptingClock(right) {
      @Override
      public long wallMillis() {
        return right.wallMillis() + skew;
      }

      @Override
      public Repetition every(long millis, Runnable task) {
        // Jobs of this simulation have no heartbeats.
        return () -> {};
      }
    };
  }

  /** One of the deciding requests gets no answer and lands later. */
  private FaultSchedule lateDecisive() {
    StoreCall call = DECISIVE.get(random.nextInt(DECISIVE.size()));
    Fault fault = new Fault(Fault.Kind.LATE, random.nextInt(25));
    return FaultSchedule.nth(call, 1 + random.nextInt(2), fault);
  }

  private void addJob(String commit, String token) {
    String[] partitions = new String[1 + random.nextInt(3)];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = PARTITIONS[random.nextInt(PARTITIONS.length)];
    }
    CommitKind kind = KINDS.get(random.nextInt(KINDS.size()));
    JobSpec named = protocol.named(JobSpec.of(commit, kind, token, partitions));
    JobSpec spec = world.isInCatalog() ? protocol.inCatalog(named) : named;
    JobRun job = new JobRun(spec, settings(), random.nextInt(5) == 0);
    World.Process driver = process(commit);
    jobs.add(job);
    bodies.add(() -> job.run(driver, protocol));
  }

  private EngineSettings settings() {
    return World.settings(
        world.readers, random.nextInt(3) == 0 ? ConflictPolicy.LAST_WRITER : ConflictPolicy.FAIL);
  }

  private void addRecoverer() {
    World.Process process = process("recoverer");
    int rounds = 1 + random.nextInt(3);
    long pause = random.nextInt(5_000);
    bodies.add(
        () -> {
          for (int i = 0; i < rounds; i++) {
            try {
              interleaving.turn();
              protocol.recover(process);
              protocol.moveCatalog(process);
              process.time().sleep(pause);
            } catch (IOException | ProcessDied ignored) {
              // The next round, another process or the final recovery continues.
              world.catalogMissed = true;
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });
  }

  /**
   * An operator switches a follower on while jobs run, and off in the end if {@code stops}. Off and
   * on again is not simulated: a process that slept meanwhile may write one file of the old pointer
   * into the new one (docs/protocol.md, section 8).
   */
  private void addOperator(FollowerKind kind, boolean stops) {
    World.Process process = process("operator");
    int rounds = 1 + random.nextInt(3);
    int patience = random.nextInt(40);
    bodies.add(
        () -> {
          for (int i = 0; i < patience; i++) {
            interleaving.turn();
          }
          for (int round = 1; round <= rounds; round++) {
            try {
              interleaving.turn();
              protocol.follow(process, kind);
              if (stops && round == rounds) {
                process.table().unfollow(kind);
              }
            } catch (IOException | ProcessDied ignored) {
              // A follower that was added may be behind until the next commit or sync.
              world.notFollowed |= world.checker.head().isPresent();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        });
  }

  /** An admin aborts an open upload, as a lifecycle rule does. */
  private void addAdmin() {
    world.checker.expectReverts();
    int patience = random.nextInt(40);
    int which = random.nextInt(8);
    bodies.add(
        () -> {
          for (int i = 0; i < patience; i++) {
            interleaving.turn();
          }
          List<HeldUpload> open = world.store.openUploads();
          if (!open.isEmpty()) {
            HeldUpload chosen = open.get(which % open.size());
            world.store.abort(chosen.at(), chosen.uploadId());
          }
        });
  }

  void run(ExecutorService threads) {
    interleaving.run(threads, bodies);
    SingleJob.settle(world);
    jobs.forEach(world.checker::outcome);
  }
}
