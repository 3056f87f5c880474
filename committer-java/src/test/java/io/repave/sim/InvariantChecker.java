package io.repave.sim;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks a simulated world against a model of its own: it applies the published jobs, in the order
 * of their versions, to a set of keys. It shares only the parser of the head with the engine.
 */
final class InvariantChecker {
  private static final int ID_AT = "part-00000-".length();
  private static final int ID_CHARS = 36;

  private final World world;
  private final Set<String> initial;
  private final FollowedPointers followed;
  private final Map<String, JobSpec> jobs = new HashMap<>();
  private HeldObject headSeen;
  private Head head;
  private boolean revertsExpected;
  private boolean timesMayBeMissing;
  private Set<String> live;
  private final Map<String, String> writers = new HashMap<>();
  private final Map<String, LoggedCommit> published = new HashMap<>();
  private final List<String> versions = new ArrayList<>();
  private final List<Set<String>> liveAt = new ArrayList<>();
  private long publishedMillis;
  private long checkedChanges = -1;
  private HeadListener listener = (before, now, bytes) -> {};

  InvariantChecker(World world, Set<String> initial) {
    this.world = world;
    this.initial = initial;
    this.followed = new FollowedPointers(world);
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

  /** Version 0.1 publishes without a time, and drops the times in each head that it writes. */
  void allowMissingTimes() {
    timesMayBeMissing = true;
  }

  /** Is told of every head after the model knows what it publishes; {@code before} may be null. */
  @FunctionalInterface
  interface HeadListener {
    void changed(Head before, Head now, int bytes);
  }

  void listen(HeadListener to) {
    listener = to;
  }

  /** The head as it is, without a check. */
  Optional<Head> head() {
    HeldObject held = world.store.objects().get(world.paths.head());
    return Optional.ofNullable(held).map(InvariantChecker::parsed);
  }

  private static Head parsed(HeldObject held) {
    try {
      return HeadJson.read(held.content(), "head");
    } catch (InvalidRecordException e) {
      throw new Violation("BAD RECORD: " + e.getMessage());
    }
  }

  /** Checks what must hold after every call. Most calls change no object, so nothing is new. */
  void afterCall() {
    long changes = world.store.changes();
    if (changes != checkedChanges) {
      during();
      checkedChanges = changes;
    }
  }

  /** The same, whether or not an object has changed. */
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
    followed.during(head);
    if (world.readers == Readers.SNAPSHOT) {
      return;
    }
    Set<String> active = head == null ? Set.of() : head.activeIds();
    for (Location at : files()) {
      String key = world.paths.root().relative(at);
      Optional<String> commit = commitOf(key);
      if (commit.isPresent()
          && !active.contains(commit.get())
          && !published.containsKey(commit.get())) {
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
    for (Location at : files()) {
      there.add(world.paths.root().relative(at));
    }
    if (world.readers == Readers.LISTING && !there.equals(live)) {
      throw new Violation("RESIDUE at rest: files " + there + ", live " + live);
    }
    followed.atRest(head, live);
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
      for (Location at : files()) {
        String key = world.paths.root().relative(at);
        if (!live.contains(key)) {
          throw new Violation("LEAK: file of no version after vacuum: " + key);
        }
      }
    }
  }

  /** A job that reported success is published. A job that reported failure never is. */
  void outcome(JobRun run) {
    boolean own = published.containsKey(run.spec.commit());
    boolean byToken =
        !run.spec.token().isEmpty()
            && published.values().stream()
                .filter(c -> c.token().equals(run.spec.token()))
                .anyMatch(c -> mayRepeat(run.spec, c));
    if (run.outcome == JobRun.Outcome.SUCCEEDED && !own && !byToken) {
      throw new Violation("FALSE SUCCESS of " + run.spec.commit());
    }
    if (run.outcome == JobRun.Outcome.FAILED && own) {
      throw new Violation("FALSE FAILURE of " + run.spec.commit() + ": " + run.failure);
    }
  }

  private boolean mayRepeat(JobSpec spec, LoggedCommit earlier) {
    return job(earlier.id().id()).stream().allMatch(spec::mayRepeat);
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
    if (held == headSeen || held == null) {
      return;
    }
    headSeen = held;
    Head before = head;
    head = parsed(held);
    for (LoggedCommit commit : head.log()) {
      if (!commit.reverted()) {
        requireSameHistory(commit);
      }
    }
    if (head.version() != versions.size()) {
      throw new Violation("HISTORY: version " + head.version() + " after " + versions.size());
    }
    listener.changed(before, head, held.content().length);
  }

  /** A published version keeps its commit for ever, none is left out, and their times increase. */
  private void requireSameHistory(LoggedCommit commit) {
    int known = versions.size();
    boolean same =
        commit.version() <= known
            && versions.get((int) commit.version() - 1).equals(commit.id().id());
    if (same) {
      return;
    }
    if (commit.version() != known + 1) {
      throw new Violation("HISTORY: " + commit + " after " + known + " versions");
    }
    if (commit.publishedMillis() <= publishedMillis && !timesMayBeMissing) {
      throw new Violation("TIME: " + commit + " after " + publishedMillis);
    }
    publishedMillis = commit.publishedMillis();
    versions.add(commit.id().id());
    published.put(commit.id().id(), commit);
    JobSpec job = jobs.get(commit.id().id());
    if (job != null) {
      live = job.applied(live);
      job.files().forEach(file -> writers.put(file, job.commit()));
    }
    liveAt.add(live);
  }

  /** The files of a published version; the first is 1. */
  Set<String> liveAt(long version) {
    return liveAt.get((int) version - 1);
  }

  /** The live files as of the last head that was looked at; never changes. */
  Set<String> modelled() {
    return live;
  }

  /** True for a file of a published job, and for one that no job wrote. */
  boolean isPublished(String key) {
    return commitOf(key).stream().allMatch(published::containsKey);
  }

  /** The ids of the published commits; the first is that of version 1. */
  List<String> versions() {
    return versions;
  }

  /** A published commit. */
  Optional<LoggedCommit> published(String id) {
    return Optional.ofNullable(published.get(id));
  }

  Optional<JobSpec> job(String id) {
    return Optional.ofNullable(jobs.get(id));
  }

  Set<String> live() {
    readHead();
    return live;
  }

  /** The data files; records sort before them, because every name here begins with "p". */
  private Set<Location> files() {
    return world.store.objects().tailMap(at("p")).keySet();
  }

  /** The first id in a name; names of this simulation begin with "part-00000-". */
  private Optional<String> commitOf(String key) {
    String name = key.substring(key.lastIndexOf('/') + 1);
    return Optional.of(name)
        .filter(it -> it.length() > ID_AT + ID_CHARS)
        .map(it -> it.substring(ID_AT, ID_AT + ID_CHARS))
        .filter(jobs::containsKey);
  }

  private Location at(String key) {
    return world.paths.root().resolve(key);
  }
}
