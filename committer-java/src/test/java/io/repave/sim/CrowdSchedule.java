package io.repave.sim;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.SharedHead;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.store.Turns;
import io.repave.testing.EngineSettingsDraft;
import io.repave.testing.Fault;
import io.repave.testing.FaultSchedule;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * One random life of a table with many writers, in virtual time. The seed determines everything:
 * who writes what and when, think times, deaths, freezes, vacuums with a history retention, and
 * hostile neighbors.
 */
final class CrowdSchedule {
  private static final String[] PARTITIONS = {"p=1", "p=2", "p=3", "p=4"};
  private static final int LONG_NAME = 230;
  private static final long STARVED_MILLIS = 90_000;

  private final SplittableRandom random;
  private final CrowdMutant mutant;
  private final Protocol engine;
  private final CrowdPlan plan;
  private final World world;
  private final CrowdRules rules;
  private final Timeline timeline;
  private final CrowdNeighbors neighbors;
  private boolean uploadsAreLost;
  private final List<Runnable> bodies = new ArrayList<>();
  private final List<JobRun> jobs = new ArrayList<>();
  private int commits;
  private int vacuums;

  /** The head of the one process that has all writers; empty if each is a process of its own. */
  private final Optional<SharedHead> shared;

  private int turns;

  /** {@code recipe} is null for any. */
  CrowdSchedule(long seed, CrowdMutant mutant, CrowdPlan.Recipe recipe, Consumer<String> trace) {
    this(seed, mutant, mutant, recipe, trace);
  }

  /** Its writers and vacuums run several versions of the engine. */
  CrowdSchedule(
      long seed, MixedVersions versions, CrowdPlan.Recipe recipe, Consumer<String> trace) {
    this(seed, CrowdMutant.CONTROL, versions, recipe, trace);
  }

  private CrowdSchedule(
      long seed,
      CrowdMutant mutant,
      Protocol engine,
      CrowdPlan.Recipe recipe,
      Consumer<String> trace) {
    this.random = new SplittableRandom(seed);
    this.mutant = mutant;
    this.engine = engine;
    this.plan = CrowdPlan.draw(random, recipe == null ? CrowdPlan.recipe(random) : recipe);
    this.world = new World(plan.dialect(), plan.readers());
    world.trace(trace);
    if (engine.includesVersion01()) {
      world.checker.allowMissingTimes();
    }
    this.rules = new CrowdRules(world, plan.retention());
    this.timeline = new Timeline(random.nextLong(), world.clock, plan.pace());
    this.neighbors = new CrowdNeighbors(world, timeline);
    // A remembered head is used in any order here: nothing may depend on the turns themselves.
    boolean oneProcess = Math.floorMod(seed, 3) == 1;
    Turns untidy = () -> new Turns.Turn(turns++ % 2 == 0, () -> {});
    this.shared = oneProcess ? Optional.of(new SharedHead(untidy)) : Optional.empty();
    for (int writer = 0; writer < plan.writers(); writer++) {
      int number = writer;
      SplittableRandom own = random.split();
      bodies.add(() -> write(number, own));
    }
    addOthers();
  }

  private void addOthers() {
    if (plan.vacuums() > 0) {
      SplittableRandom own = random.split();
      bodies.add(() -> vacuum(own));
    }
    if (plan.recipe() == CrowdPlan.Recipe.MIXED && random.nextInt(5) == 0) {
      world.checker.expectReverts();
      uploadsAreLost = true;
      SplittableRandom own = random.split();
      bodies.add(() -> neighbors.abortAnUpload(own));
    }
    if (plan.recipe() == CrowdPlan.Recipe.ROT) {
      SplittableRandom own = random.split();
      bodies.add(() -> neighbors.rot(own));
    }
    if (plan.recipe() == CrowdPlan.Recipe.CANCEL) {
      world.checker.expectReverts();
      SplittableRandom own = random.split();
      bodies.add(() -> operate(own));
    }
    if (plan.recipe() == CrowdPlan.Recipe.SLEEPER) {
      world.checker.expectReverts();
    }
  }

  CrowdPlan plan() {
    return plan;
  }

  int commits() {
    return world.checker.versions().size();
  }

  /** The number of vacuums that ended; others died. */
  int vacuums() {
    return vacuums;
  }

  /** The number of jobs whose process died. */
  long deaths() {
    return jobs.stream().filter(job -> job.died).count();
  }

  /** The version with which the history begins. */
  long historyFrom() {
    return world.checker.head().map(Head::historyFrom).orElse(0L);
  }

  private World.Process process(CrowdMutant.Role role, String name, SplittableRandom own) {
    FaultSchedule faults = FaultSchedule.random(own.nextLong(), plan.faultsPerThousand(), 40);
    return process(role, name, faults, own);
  }

  private World.Process process(
      CrowdMutant.Role role, String name, FaultSchedule faults, SplittableRandom own) {
    World.Process process =
        world.process(name, faults, own.nextLong() | 1, timeline.clock(), timeline::turn);
    boolean odd = plan.recipe() == CrowdPlan.Recipe.ODD_LISTINGS;
    World.Process there =
        odd ? process.through(store -> CrowdNeighbors.oddListings(store, own.split())) : process;
    boolean shares = shared.isPresent() && role == CrowdMutant.Role.WRITER;
    return mutant.altered(role, shares ? there.sharing(shared.get()) : there);
  }

  private void write(int writer, SplittableRandom own) {
    boolean special = writer == 0;
    switch (plan.recipe()) {
      case BUSY -> {
        if (special) {
          timeline.sleep(1_000);
          overwriteAll(own);
          return;
        }
      }
      case SLEEPER -> {
        if (special) {
          timeline.sleep(3_000);
          sleepLong(own);
          return;
        }
      }
      default -> {}
    }
    for (int job = 0; job < plan.jobs(); job++) {
      timeline.sleep(1 + own.nextInt(plan.thinkMillis()));
      JobSpec spec = spec(writer, own).by(program(writer, 1));
      JobRun run = run(spec, process(CrowdMutant.Role.WRITER, spec.commit(), own), own);
      if (!spec.token().isEmpty() && own.nextBoolean()) {
        JobSpec again = JobSpec.of(word(), spec.kind(), spec.token(), folders(spec));
        again =
            own.nextBoolean()
                ? again.by(program(writer, 2))
                : again.by(program(writer, 1)).after(spec);
        run(again, process(CrowdMutant.Role.WRITER, again.commit(), own), own);
      }
      requireSuccess(run);
    }
  }

  /** A program writes as itself, and in a restart as another one. */
  private String program(int writer, int start) {
    boolean named = plan.recipe() == CrowdPlan.Recipe.PROGRAMS;
    // Two writers are threads of one program.
    return named ? "app-" + writer / 2 + "-" + start : "";
  }

  private static String[] folders(JobSpec spec) {
    return spec.files().stream().map(JobSpec::folder).toArray(String[]::new);
  }

  private String word() {
    return "job-%06d".formatted(++commits);
  }

  private JobSpec spec(int writer, SplittableRandom own) {
    String token = "";
    CommitKind kind = CommitKind.APPEND;
    boolean appends =
        switch (plan.recipe()) {
          case APPENDS, BUSY, SLEEPER, HUNDRED -> true;
          default -> false;
        };
    if (!appends) {
      kind =
          switch (own.nextInt(8)) {
            case 0 -> CommitKind.STATIC;
            case 1, 2, 3 -> CommitKind.DYNAMIC;
            default -> CommitKind.APPEND;
          };
    }
    boolean life = plan.recipe() == CrowdPlan.Recipe.LIFE;
    boolean programs = plan.recipe() == CrowdPlan.Recipe.PROGRAMS;
    boolean tokens = life || programs || plan.recipe() == CrowdPlan.Recipe.MIXED;
    if (tokens && own.nextInt(3) == 0) {
      // In a long life tokens come back after vacuum forgot them.
      token = "day-" + own.nextInt(life ? 50 : 3);
      kind = CommitKind.APPEND;
    }
    if (plan.recipe() == CrowdPlan.Recipe.HUNDRED) {
      return JobSpec.of(word(), kind, token, "p=%03d".formatted(writer) + "x".repeat(LONG_NAME));
    }
    String[] partitions = new String[1 + own.nextInt(2)];
    for (int i = 0; i < partitions.length; i++) {
      partitions[i] = PARTITIONS[own.nextInt(PARTITIONS.length)];
    }
    return JobSpec.of(word(), kind, token, partitions);
  }

  private JobRun run(JobSpec spec, World.Process process, SplittableRandom own) {
    ConflictPolicy policy = own.nextInt(3) == 0 ? ConflictPolicy.LAST_WRITER : ConflictPolicy.FAIL;
    return run(spec, process, policy, own);
  }

  private JobRun run(
      JobSpec spec, World.Process process, ConflictPolicy policy, SplittableRandom own) {
    rules.know(spec, policy);
    EngineSettings settings = EngineSettingsDraft.of(plan.settings()).conflicts(policy).done();
    JobRun run = new JobRun(spec, settings, own.nextInt(10) == 0);
    jobs.add(run);
    boolean dozes = plan.recipe() == CrowdPlan.Recipe.CANCEL && own.nextInt(3) == 0;
    World.Process driver =
        dozes
            ? process.through(neighbors.freezingAfterReserve(1_000 + own.nextInt(14_000)))
            : process;
    int work = own.nextInt(plan.workMillis());
    run.run(driver, new Working(work));
    // Now, because a later vacuum removes the ledger that says whose write it is.
    world.checker.outcome(run);
    return run;
  }

  /** The engine, with tasks that take their time between begin and commit. */
  private final class Working implements Protocol {
    private final int workMillis;

    Working(int workMillis) {
      this.workMillis = workMillis;
    }

    @Override
    public Job begin(World.Process process, EngineSettings settings, JobSpec spec)
        throws IOException, InterruptedException {
      Job job = engine.begin(process, settings, spec);
      return new Job() {
        @Override
        public void commit(Ledger ledger) throws IOException, InterruptedException {
          timeline.sleep(workMillis);
          long begun = world.clock.tickMillis();
          job.commit(ledger);
          boolean starved = world.clock.tickMillis() - begun > STARVED_MILLIS;
          if (starved && plan.calm() && plan.pace().freezesPerMillion() == 0) {
            throw new Violation("STARVED: " + spec + " since " + begun);
          }
        }

        @Override
        public void abort(Ledger ledger) throws IOException, InterruptedException {
          job.abort(ledger);
        }
      };
    }
  }

  /** Nothing went wrong, so a job that only adds must succeed, however many others there are. */
  private void requireSuccess(JobRun run) {
    boolean adds = run.spec.kind() == CommitKind.APPEND && run.spec.token().isEmpty();
    boolean calm = plan.calm() && !uploadsAreLost && !engine.includesVersion01();
    if (calm && adds && run.outcome != JobRun.Outcome.SUCCEEDED) {
      throw new Violation("NEEDLESS FAILURE: " + run.outcome + " " + run.failure);
    }
  }

  /** An overwrite of the whole table while others append all the time; its process may die. */
  private void overwriteAll(SplittableRandom own) {
    boolean dies = own.nextBoolean();
    FaultSchedule faults =
        dies
            ? FaultSchedule.at(10 + own.nextInt(200), Fault.of(Fault.Kind.DIE_BEFORE))
            : FaultSchedule.NONE;
    JobSpec spec = JobSpec.of(word(), CommitKind.STATIC, "", "p=1");
    World.Process process = process(CrowdMutant.Role.WRITER, "overwrite", faults, own);
    JobRun run = run(spec, process, ConflictPolicy.LAST_WRITER, own);
    if (!dies && run.outcome != JobRun.Outcome.SUCCEEDED) {
      throw new Violation("NEEDLESS FAILURE: " + run.outcome + " " + run.failure);
    }
  }

  private void sleepLong(SplittableRandom own) {
    JobSpec spec = JobSpec.of(word(), CommitKind.APPEND, "", "p=1", "p=2");
    // The reservation, also where the job is the first of the table.
    Set<StoreCall> swaps = Set.of(StoreCall.PUT_IF_ABSENT, StoreCall.PUT_IF_MATCH);
    FaultSchedule lost = FaultSchedule.nth(swaps, 1, Fault.of(Fault.Kind.LOST));
    UnaryOperator<World.Process> sleeping =
        it -> it.through(neighbors.freezingAfterLostAnswer(spec, 150_000 + own.nextInt(60_000)));
    World.Process process = process(CrowdMutant.Role.WRITER, "sleeper", lost, own);
    run(spec, sleeping.apply(process), ConflictPolicy.FAIL, own);
  }

  private void vacuum(SplittableRandom own) {
    for (int round = 0; round < plan.vacuums(); round++) {
      timeline.sleep(1 + own.nextInt(15_000));
      if (world.checker.head().isEmpty()) {
        // Without a head there is no fence: a vacuum aborts uploads of jobs that still run.
        continue;
      }
      World.Process process = process(CrowdMutant.Role.VACUUM, "vacuum-" + round, own);
      try {
        engine.vacuum(process, plan.settings(), plan.retention().millis());
        vacuums++;
      } catch (IOException | ProcessDied ignored) {
        // The next vacuum continues.
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      if (!plan.hostile()) {
        rules.readable();
      }
    }
  }

  private void operate(SplittableRandom own) {
    for (int round = 0; round < 60; round++) {
      timeline.sleep(1 + own.nextInt(500));
      World.Process process = process(CrowdMutant.Role.OPERATOR, "operator-" + round, own);
      neighbors.cancelOne(process, plan.settings(), own);
    }
  }

  void run(ExecutorService threads) {
    timeline.run(threads, bodies);
    if (plan.hostile()) {
      new CrowdEnd(world, plan, rules, mutant).afterHostility();
    } else {
      new CrowdEnd(world, plan, rules, mutant).settle(word());
    }
    jobs.forEach(world.checker::outcome);
  }
}
