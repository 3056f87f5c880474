package io.repave.sim;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks a simulated world against a model of its own: it applies the published jobs, in the order
 * of their versions, to a set of keys. It shares only the parser of the head with the engine.
 */
final class InvariantChecker {
  private final World world;
  private final Set<String> initial;
  private final Map<String, JobSpec> jobs = new HashMap<>();
  private HeldObject headSeen;
  private Head head;
  private boolean revertsExpected;
  private Set<String> live;
  private final Map<String, String> writers = new HashMap<>();
  private Set<String> decided = Set.of();

  InvariantChecker(World world, Set<String> initial) {
    this.world = world;
    this.initial = initial;
    this.live = initial;
  }

  void know(JobSpec job) {
    jobs.put(job.commit(), job);
  }

  /**
   * Allows reverts: in this world an admin aborts uploads. In any other a revert is a violation.
   */
  void expectReverts() {
    revertsExpected = true;
  }

  Optional<Head> head() {
    readHead();
    return Optional.ofNullable(head);
  }

  /** Checks what must hold after every call. */
  void during() {
    readHead();
    for (String key : live) {
      HeldObject held = world.store.objects().get(at(key));
      if (held == null) {
        throw new Violation("LOSS: published, but missing: " + key);
      }
      String writer = writers.get(key);
      if (writer != null && !writer.equals(new String(held.content(), StandardCharsets.UTF_8))) {
        throw new Violation("LOSS: overwritten by a late request: " + key);
      }
    }
    if (world.readers == Readers.SNAPSHOT) {
      return;
    }
    for (Location at : world.store.objects().keySet()) {
      String key = world.paths.root().relative(at);
      Optional<String> commit = commitOf(key);
      if (commit.isPresent() && !decided.contains(commit.get())) {
        throw new Violation("PHANTOM: visible, but its commit is not decided: " + key);
      }
    }
  }

  /** Checks what must hold when every commit is finished. */
  void atRest() {
    during();
    if (head != null && !head.active().isEmpty()) {
      throw new Violation("STUCK: recovery left unfinished commits " + head.active());
    }
    Set<String> there = new TreeSet<>();
    for (Location at : world.store.objects().keySet()) {
      String key = world.paths.root().relative(at);
      if (!key.startsWith("_")) {
        there.add(key);
      }
    }
    if (world.readers == Readers.LISTING && !there.equals(live)) {
      throw new Violation("RESIDUE at rest: files " + there + ", live " + live);
    }
    requireTokensOnce();
    if (!revertsExpected && head != null && head.log().stream().anyMatch(LoggedCommit::reverted)) {
      throw new Violation("NEEDLESS REVERT: every upload was there: " + head.log());
    }
  }

  void afterVacuum() {
    if (!world.store.openUploads().isEmpty()) {
      throw new Violation("LEAK: open uploads after vacuum: " + world.store.openUploads());
    }
    atRest();
    if (world.readers == Readers.SNAPSHOT) {
      for (Location at : world.store.objects().keySet()) {
        String key = world.paths.root().relative(at);
        if (!key.startsWith("_") && !live.contains(key)) {
          throw new Violation("LEAK: file of no version after vacuum: " + key);
        }
      }
    }
  }

  /** A job that reported success is published. A job that reported failure never is. */
  void outcome(JobRun run) {
    boolean published =
        head != null
            && head.log().stream()
                .anyMatch(c -> c.id().id().equals(run.spec.commit()) && !c.reverted());
    boolean byToken =
        head != null
            && !run.spec.token().isEmpty()
            && head.log().stream().anyMatch(c -> c.token().equals(run.spec.token()));
    if (run.outcome == JobRun.Outcome.SUCCEEDED && !published && !byToken) {
      throw new Violation("FALSE SUCCESS of " + run.spec.commit());
    }
    if (run.outcome == JobRun.Outcome.FAILED && published) {
      throw new Violation("FALSE FAILURE of " + run.spec.commit() + ": " + run.failure);
    }
  }

  private void requireTokensOnce() {
    Set<String> tokens = new HashSet<>();
    for (LoggedCommit commit : head == null ? Set.<LoggedCommit>of() : head.log()) {
      if (!commit.token().isEmpty() && !commit.reverted() && !tokens.add(commit.token())) {
        throw new Violation("TWICE: token " + commit.token());
      }
    }
  }

  private void readHead() {
    HeldObject held = world.store.objects().get(world.paths.head());
    if (held == headSeen) {
      return;
    }
    headSeen = held;
    try {
      head = held == null ? null : HeadJson.read(held.content(), "head");
    } catch (InvalidRecordException e) {
      throw new Violation("BAD RECORD: " + e.getMessage());
    }
    live = initial;
    decided = new HashSet<>();
    writers.clear();
    if (head == null) {
      return;
    }
    for (ActiveCommit commit : head.active()) {
      decided.add(commit.id().id());
    }
    for (LoggedCommit commit : head.log()) {
      if (!commit.reverted()) {
        decided.add(commit.id().id());
        JobSpec job = jobs.get(commit.id().id());
        live = job == null ? live : job.applied(live);
        if (job != null) {
          job.files().forEach(file -> writers.put(file, job.commit()));
        }
      }
    }
  }

  Set<String> live() {
    readHead();
    return live;
  }

  private Optional<String> commitOf(String key) {
    for (String commit : jobs.keySet()) {
      if (key.contains("-" + commit + "-") && !key.startsWith("_")) {
        return Optional.of(commit);
      }
    }
    return Optional.empty();
  }

  private Location at(String key) {
    return world.paths.root().resolve(key);
  }
}
