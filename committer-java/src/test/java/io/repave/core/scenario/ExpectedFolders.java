package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What a listing of a listing table must show, inside its folder and in its partitions outside.
 *
 * <p>Of a file that others write or delete beside an unfinished commit of the same partition nobody
 * can say what happens to it: that commit may have listed the partition before or after, and may
 * have completed its own file before or after. Such files are not sure until the table is at rest.
 */
final class ExpectedFolders implements ObservedHead.Listener {
  private final TestTable table;
  private final RandomJobs jobs;
  private final Set<String> live = new TreeSet<>();

  /** The files that an unfinished commit replaces or adds, by its id. */
  private final Map<String, Set<String>> passing = new HashMap<>();

  private final Set<String> unsure = new TreeSet<>();

  /** The commits that were pending when a file came, or when files of a partition were deleted. */
  private final Map<String, Set<String>> pendingAtFile = new HashMap<>();

  private final Map<String, Set<String>> pendingAtDrop = new HashMap<>();
  private final Set<String> recorded = new TreeSet<>();

  /**
   * What others have written or deleted. An adoption tells the records; a list of a follower goes
   * on to name a file that a catalog deleted, when an overwrite did not find it any more.
   */
  private final Set<String> unrecorded = new TreeSet<>();

  private final Set<String> deleted = new TreeSet<>();

  /** Files outside of a table that was dropped; a repair of the next one may find them. */
  private final Set<String> strays = new TreeSet<>();

  ExpectedFolders(TestTable table, RandomJobs jobs) {
    this.table = table;
    this.jobs = jobs;
  }

  /** The files that readers by followers may miss or look for. */
  Set<String> unrecorded() {
    Set<String> all = new TreeSet<>(unrecorded);
    all.addAll(deleted);
    return all;
  }

  @Override
  public void begins(Head now) {
    recorded.clear();
  }

  @Override
  public void publishes(LoggedCommit commit, Head now) {
    jobs.publishes(commit, now);
    String id = commit.id().id();
    if (commit.kind() == CommitKind.ADOPT) {
      return;
    }
    Written job = jobs.written(id).orElseThrow();
    Predicate<String> replaced = it -> job.replaced().covers(Written.partition(it));
    Set<String> passed = passing.computeIfAbsent(id, it -> new HashSet<>());
    for (String file : List.copyOf(live)) {
      if (replaced.test(file)) {
        passed.add(file);
        if (pendingAtFile.getOrDefault(file, Set.of()).contains(id)) {
          unsure.add(file);
        } else {
          live.remove(file);
          unsure.remove(file);
        }
      }
    }
    recorded.removeIf(replaced);
    for (String file : job.files()) {
      live.add(file);
      recorded.add(file);
      if (isDropped(file, id)) {
        unsure.add(file);
      }
    }
  }

  private boolean isDropped(String file, String commit) {
    return pendingAtDrop.entrySet().stream()
        .filter(it -> it.getValue().contains(commit))
        .anyMatch(it -> isIn(file, it.getKey()));
  }

  private static boolean isIn(String file, String folder) {
    String partition = Written.partition(file);
    boolean everywhere = folder.isEmpty() && !RecordNames.isOutside(partition);
    return everywhere || partition.equals(folder) || partition.startsWith(folder + "/");
  }

  @Override
  public void reverts(LoggedCommit commit, Head now) {
    jobs.reverts(commit);
  }

  /** Another writer has put a file. */
  void written(String file, Head head) {
    live.add(file);
    unrecorded.add(file);
    pendingAtFile.put(file, pending(head));
  }

  /** A catalog has deleted the files of a partition, and of those below it. */
  void dropped(String folder, Head head) {
    Set<String> pending = pending(head);
    pending.forEach(jobs::disturb);
    pendingAtDrop.computeIfAbsent(folder, it -> new HashSet<>()).addAll(pending);
    Predicate<String> gone = it -> isIn(it, folder);
    live.stream().filter(gone).forEach(deleted::add);
    unrecorded.addAll(deleted);
    live.removeIf(gone);
    unsure.removeIf(gone);
  }

  /** The table's folder was deleted: unfinished commits may still complete files there. */
  void droppedTable(Head head) {
    for (String id : head == null ? Set.<String>of() : head.activeIds()) {
      jobs.written(id).ifPresent(job -> unsure.addAll(job.files()));
      unsure.addAll(passing.getOrDefault(id, Set.of()));
    }
    live.removeIf(it -> isIn(it, ""));
    strays.addAll(live);
    recorded.clear();
    jobs.dropped();
  }

  private static Set<String> pending(Head head) {
    Set<String> pending = new HashSet<>();
    if (head != null) {
      head.active().stream()
          .filter(it -> it.state() != CommitState.CLEANING)
          .forEach(it -> pending.add(it.id().id()));
    }
    return pending;
  }

  /** No file is lost, and only files of unfinished commits are there too. */
  void checkDuring(Head head) {
    Set<String> visible = visible();
    Set<String> missing = new TreeSet<>(live);
    missing.removeAll(visible);
    missing.removeAll(unsure);
    assertThat(missing).as("lost").isEmpty();
    visible.removeAll(live);
    visible.removeAll(unsure);
    for (String id : head == null ? Set.<String>of() : head.activeIds()) {
      visible.removeAll(passing.getOrDefault(id, Set.of()));
      jobs.written(id).ifPresent(job -> visible.removeAll(job.files()));
    }
    assertThat(visible).as("of no decided commit, or replaced").isEmpty();
  }

  /** A listing shows exactly the rows of the decided commits. */
  void check(Head head) throws Exception {
    if (head != null) {
      assertThat(head.active()).isEmpty();
    }
    checkDuring(head);
    Set<String> visible = visible();
    unsure.forEach(it -> settle(it, visible.contains(it)));
    unsure.clear();
    passing.clear();
    assertThat(visible).isEqualTo(live);
    if (head != null) {
      checkRecords(head);
    }
  }

  private void settle(String file, boolean visible) {
    unrecorded.add(file);
    if (visible) {
      live.add(file);
    } else {
      live.remove(file);
      deleted.add(file);
    }
  }

  /** The records name the live files, except for what others have written or deleted since. */
  private void checkRecords(Head head) throws Exception {
    Set<String> named = new TreeSet<>(ExpectedVersions.recorded(table, head, head.version()));
    Set<String> wanted = new TreeSet<>(recorded);
    named.removeAll(unrecorded);
    wanted.removeAll(unrecorded);
    named.removeAll(strays);
    wanted.removeAll(strays);
    assertThat(named).as("named by the records of version %d", head.version()).isEqualTo(wanted);
  }

  /**
   * An adoption or a repair that nobody disturbed names exactly the files in the table's folder,
   * and of those recorded outside the ones that exist.
   */
  void checkAdopted(Head head) throws Exception {
    Set<String> named = new TreeSet<>(ExpectedVersions.recorded(table, head, head.version()));
    Set<String> wanted = new TreeSet<>(live);
    wanted.removeIf(it -> !isIn(it, "") && !recorded.contains(it));
    named.removeAll(strays);
    wanted.removeAll(strays);
    assertThat(named).as("adopted").isEqualTo(wanted);
    recorded.clear();
    recorded.addAll(wanted);
    unrecorded.clear();
  }

  /** What readers that list see. */
  private Set<String> visible() {
    Set<String> visible = new TreeSet<>();
    for (Location at : table.store.objects().keySet()) {
      boolean inside = table.paths.root().holds(at);
      if (!inside || isShown(table.paths.root().relative(at))) {
        visible.add(Written.shown(table.paths.partition(at.parent()), at.name()));
      }
    }
    return visible;
  }

  private static boolean isShown(String path) {
    for (String segment : path.split("/")) {
      if ((segment.startsWith("_") || segment.startsWith(".")) && !segment.contains("=")) {
        return false;
      }
    }
    return true;
  }
}
