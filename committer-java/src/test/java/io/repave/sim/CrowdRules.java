package io.repave.sim;

import io.repave.core.Table;
import io.repave.core.conflict.HeadSpace;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.testing.TestPorts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rules of the protocol that show in the head: conflicts, tokens, cancelled commits, what
 * vacuum may forget, the head's size. {@link InvariantChecker} looks after the rows.
 */
final class CrowdRules implements InvariantChecker.HeadListener {
  /** Vacuum may not remove what is younger than these. */
  record Retention(long millis, long historyMillis) {}

  private final World world;
  private final Retention retention;
  private final Map<String, ConflictPolicy> policies = new HashMap<>();
  private final List<Long> publishedAt = new ArrayList<>();
  private final TreeMap<Long, Set<String>> liveAt = new TreeMap<>();
  private final Set<String> reverted = new HashSet<>();
  private boolean retentionCounts = true;

  CrowdRules(World world, Retention retention) {
    this.world = world;
    this.retention = retention;
    world.checker.listen(this);
  }

  void know(JobSpec job, ConflictPolicy policy) {
    policies.put(job.commit(), policy);
  }

  /** The last vacuum of a schedule removes everything that it can. */
  void endOfRetention() {
    retentionCounts = false;
  }

  @Override
  public void changed(Head before, Head now, int bytes) {
    while (publishedAt.size() < now.version()) {
      publishedAt.add(world.clock.tickMillis());
    }
    if (world.readers == Readers.SNAPSHOT) {
      liveAt.put(now.version(), world.checker.modelled());
    }
    liveAt.headMap(now.oldestVersion()).clear();
    for (LoggedCommit commit : now.log()) {
      if (commit.reverted()) {
        reverted.add(commit.id().id());
      }
    }
    for (ActiveCommit commit : now.active()) {
      if (reverted.contains(commit.id().id())) {
        throw new Violation("RESERVED AGAIN: " + commit.id().id() + " was reverted");
      }
      if (commit.base() + 1 < now.historyFrom()) {
        throw new Violation(
            "BLIND: base " + commit.base() + ", history from " + now.historyFrom() + ": " + commit);
      }
      if (before == null || before.active(commit.id()).isEmpty()) {
        requireNoConflict(commit, now);
        requireNewToken(commit, now);
      }
    }
    if (now.active().size() > 1 && bytes > HeadSpace.BYTES_MAX) {
      throw new Violation("HEAD: " + bytes + " bytes, " + now.active().size() + " unfinished");
    }
    if (before != null) {
      requireWatermarks(before, now);
    }
  }

  private void requireWatermarks(Head before, Head now) {
    // Version 0.1 writes no beginning of the history, which means the first version.
    boolean forgets = now.historyFrom() < before.historyFrom() && before.historyFrom() > 1;
    if (now.oldestVersion() < before.oldestVersion() || forgets) {
      throw new Violation("WATERMARK went back: " + before + " to " + now);
    }
    long time = world.clock.tickMillis();
    long oldest = now.oldestVersion();
    if (retentionCounts
        && oldest > Math.max(1, before.oldestVersion())
        && world.readers == Readers.SNAPSHOT
        && time - replacedAt(oldest) < retention.millis()) {
      throw new Violation("EXPIRED EARLY: version " + (oldest - 1) + " was just replaced");
    }
    long from = now.historyFrom();
    if (world.readers == Readers.SNAPSHOT
        && from > before.historyFrom()
        && from > now.vacuumedVersion()) {
      throw new Violation("FORGOTTEN BEFORE DELETED: files replaced before version " + from);
    }
    if (retentionCounts
        && from > before.historyFrom()
        && time - replacedAt(from - 1) < retention.historyMillis()) {
      throw new Violation("FORGOTTEN EARLY: version " + (from - 1) + " was just published");
    }
  }

  /** When a version was published, which is when the one before it was replaced. */
  private long replacedAt(long version) {
    return version < 1 ? Long.MIN_VALUE / 2 : publishedAt.get((int) version - 1);
  }

  private void requireNoConflict(ActiveCommit commit, Head now) {
    JobSpec job = world.checker.job(commit.id().id()).orElse(null);
    if (job == null) {
      return;
    }
    for (ActiveCommit other : now.active()) {
      JobSpec neighbor = world.checker.job(other.id().id()).orElse(null);
      boolean replaces = job.kind().replaces() || other.kind().replaces();
      if (neighbor != null && !other.equals(commit) && replaces && overlap(job, neighbor)) {
        throw new Violation("NOT AWAITED: " + job + " beside unfinished " + neighbor);
      }
    }
    boolean checked = policies.get(job.commit()) == ConflictPolicy.FAIL && job.kind().replaces();
    List<String> versions = world.checker.versions();
    for (long version = commit.base() + 1; checked && version <= now.version(); version++) {
      JobSpec other = world.checker.job(versions.get((int) version - 1)).orElse(null);
      if (other != null && overlap(job, other)) {
        throw new Violation("CONFLICT: " + job + " did not see version " + version + " " + other);
      }
    }
  }

  private static boolean overlap(JobSpec one, JobSpec other) {
    if (one.kind() == CommitKind.STATIC || other.kind() == CommitKind.STATIC) {
      return true;
    }
    Set<String> folders = folders(one);
    folders.retainAll(folders(other));
    return !folders.isEmpty();
  }

  private static Set<String> folders(JobSpec job) {
    Set<String> folders = new TreeSet<>();
    job.files().forEach(file -> folders.add(JobSpec.folder(file)));
    return folders;
  }

  /** A token may be used again only when vacuum removed it, and not by a job that began before. */
  private void requireNewToken(ActiveCommit commit, Head now) {
    if (commit.token().isEmpty()) {
      return;
    }
    List<String> versions = world.checker.versions();
    for (int i = 0; i < versions.size(); i++) {
      long version = i + 1;
      LoggedCommit earlier = world.checker.published(versions.get(i)).orElseThrow();
      boolean forgotten = version < now.historyFrom() && version <= commit.base();
      if (earlier.token().equals(commit.token()) && !forgotten) {
        throw new Violation("TWICE: " + commit + " has the token of version " + version);
      }
    }
    for (ActiveCommit other : now.active()) {
      if (!other.equals(commit) && other.token().equals(commit.token())) {
        throw new Violation("TWICE: " + commit + " beside " + other);
      }
    }
  }

  /** Reads what a reader may ask for: the history, and every version that is kept. */
  void readable() {
    Head head = world.checker.head().orElse(null);
    if (head == null) {
      return;
    }
    Table table =
        Table.open(
            TestPorts.of(world.store, world.clock).nonces(world.nonces).ports(),
            world.paths,
            World.settings(world.readers));
    try {
      List<String> history =
          table.history(Integer.MAX_VALUE).stream().map(it -> it.id().id()).toList();
      List<String> versions = world.checker.versions();
      int from = (int) Math.max(0, head.historyFrom() - 1);
      if (!history.equals(versions.subList(from, versions.size()))) {
        throw new Violation("HISTORY: " + history + ", published " + versions + " from " + from);
      }
      for (long version : liveAt.keySet()) {
        if (version >= Math.max(1, head.oldestVersion())) {
          requireReadable(version, World.files(table.snapshot(head, version)));
        }
      }
    } catch (IOException e) {
      throw new Violation("UNREADABLE: " + e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void requireReadable(long version, Set<String> files) {
    Set<String> expected = liveAt.get(version);
    if (!files.equals(expected)) {
      throw new Violation("SNAPSHOT " + version + ": " + files + ", not " + expected);
    }
    for (String file : files) {
      if (!world.store.objects().containsKey(world.paths.root().resolve(file))) {
        throw new Violation("UNREADABLE: version " + version + " lost " + file);
      }
    }
  }
}
