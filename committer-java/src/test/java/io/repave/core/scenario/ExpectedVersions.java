package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerJson;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The files that each version of a snapshot table must have. */
final class ExpectedVersions implements ObservedHead.Listener {
  private final TestTable table;
  private final RandomJobs jobs;
  private final TreeMap<Long, Set<String>> versions = new TreeMap<>(Map.of(0L, Set.of()));
  private final Map<Long, Long> times = new TreeMap<>();
  private Set<String> adopted = Set.of();

  ExpectedVersions(TestTable table, RandomJobs jobs) {
    this.table = table;
    this.jobs = jobs;
  }

  /** The file that is there before the first version. */
  void adopts(String file) {
    adopted = Set.of(file);
  }

  /** All files are gone. */
  void dropped() {
    adopted = Set.of();
  }

  Set<String> newest() {
    return versions.lastEntry().getValue();
  }

  @Override
  public void begins(Head now) {
    versions.clear();
    times.clear();
    versions.put(0L, Set.of());
  }

  @Override
  public void publishes(LoggedCommit commit, Head now) {
    jobs.publishes(commit, now);
    versions.put(commit.version(), files(commit));
    times.put(commit.version(), commit.publishedMillis());
  }

  private Set<String> files(LoggedCommit commit) {
    if (commit.kind() == CommitKind.ADOPT) {
      assertThat(commit.version()).isEqualTo(1);
      return adopted;
    }
    if (commit.kind() == CommitKind.ROLLBACK) {
      return versions.get(target(commit));
    }
    Written job = jobs.written(commit.id().id()).orElseThrow();
    Set<String> files = new TreeSet<>(versions.get(commit.version() - 1));
    files.removeIf(it -> job.replaced().covers(Written.partition(it)));
    files.addAll(job.files());
    return files;
  }

  private long target(LoggedCommit rollback) {
    try {
      Location at = table.paths.uploads(rollback.id());
      return LedgerJson.readIndex(table.content(at), rollback.id(), at.toString()).target();
    } catch (InvalidRecordException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void reverts(LoggedCommit commit, Head now) {
    jobs.reverts(commit);
  }

  /** The files of every readable version exist, whatever is unfinished. */
  void checkDuring(Head head) {
    Set<String> stored = new TreeSet<>();
    for (Location at : table.store.objects().keySet()) {
      stored.add(Written.shown(table.paths.partition(at.parent()), at.name()));
    }
    for (long version = head.oldestVersion(); version <= head.version(); version++) {
      assertThat(stored)
          .as("version %d of %d", version, head.version())
          .containsAll(versions.get(version));
    }
  }

  /** Every readable version has its files; the records of a few are read, chosen at random. */
  void check(Head head, Random random) throws Exception {
    assertThat(head.active()).isEmpty();
    checkDuring(head);
    Set<Long> some = new TreeSet<>(List.of(head.oldestVersion(), head.version()));
    for (int i = 0; i < 2; i++) {
      long kept = head.version() - head.oldestVersion() + 1;
      some.add(head.oldestVersion() + (long) (random.nextDouble() * kept));
    }
    for (long version : some) {
      assertThat(recorded(table, head, version))
          .as("version %d of %d", version, head.version())
          .containsExactlyInAnyOrderElementsOf(versions.get(version));
      long published = times.getOrDefault(version, 0L);
      if (version >= head.historyFrom() && published > 0) {
        assertThat(table.open().versionAt(head, published)).isEqualTo(version);
      }
    }
  }

  /** The files of a version as the records name them. */
  static List<String> recorded(TestTable table, Head head, long version) throws Exception {
    Snapshot snapshot = table.open().snapshot(head, version);
    List<String> found = new ArrayList<>();
    for (String partition : snapshot.partitions()) {
      for (FileEntry file : snapshot.files(partition)) {
        found.add(Written.shown(partition, file.name()));
      }
    }
    return found;
  }
}
