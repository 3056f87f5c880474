package io.repave.core.vacuum;

import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.HeadStore;
import io.repave.core.engine.TableContext;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Head;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.FileSorter;
import io.repave.core.snapshot.FileStream;
import io.repave.core.snapshot.FileStream.Placed;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a vacuum will delete. The names of data files and uploads are outside the heap. */
final class VacuumPlan implements AutoCloseable {
  /** The most keys of files in memory. */
  private static final int KEYS = 10_000;

  /** The data files of one commit. */
  private record Total(long files, long bytes) {
    Total plus(Total other) {
      return new Total(files + other.files, bytes + other.bytes);
    }
  }

  private final TableContext context;
  private final FileSorter files;
  private final Map<String, Total> totals = new HashMap<>();
  private PublishedCommits published;
  private final Map<String, Long> uploads = new HashMap<>();
  private List<OrphanFinder.OrphanRecord> records = new ArrayList<>();
  private ExpiredHistory expired;
  private long oldestVersion;
  private boolean keepsReplaced;

  VacuumPlan(TableContext context) {
    this.context = context;
    this.files = new FileSorter(context);
  }

  /** Adds uploads. Only their number is kept, by commit. */
  void abort(List<OrphanFinder.Upload> orphans) {
    orphans.forEach(upload -> uploads.merge(upload.commit(), 1L, Long::sum));
  }

  /** Sets the published commits. */
  void published(PublishedCommits commits) {
    published = commits;
  }

  void add(List<OrphanFinder.OrphanRecord> more) {
    records.addAll(more);
  }

  /** Sets the published commits whose records will be deleted. */
  void expire(ExpiredHistory found) {
    expired = found;
  }

  /** Writes a checkpoint with files that only records to be deleted name. */
  void writeFiles(Head head) throws IOException, InterruptedException {
    expired.writeFiles(head);
  }

  /**
   * True when jobs wrote another checkpoint meanwhile, so that the files have to be written again.
   */
  boolean isOvertakenIn(Head head) {
    return !keepsReplaced && expired.isOvertakenIn(head);
  }

  /**
   * The head after the deletion: it names the version up to which replaced files are deleted, and
   * the expired history is gone. The same head when files stay that only this history names.
   */
  Head ended(Head head) {
    if (keepsReplaced) {
      return head;
    }
    long vacuumed = Math.max(head.vacuumedVersion(), oldestVersion);
    return expired.applied(head).change().vacuumedVersion(vacuumed).done();
  }

  /** Keeps the history when the current head still needs it. */
  void keepUnlessExpired(Head head) {
    if (!expired.isAppliedIn(head)) {
      records = records.stream().filter(it -> !isExpired(it)).toList();
    }
  }

  private boolean isExpired(OrphanFinder.OrphanRecord record) {
    return expired != null && expired.ids().contains(record.commit());
  }

  /** Adds a file of the table; {@code commit} is "" when the file was published and replaced. */
  void add(String commit, String path, long bytes) throws IOException, InterruptedException {
    files.add(commit, new FileEntry(path, bytes));
    totals.merge(commit, new Total(1, bytes), Total::plus);
  }

  /** Sets the oldest version that can still be read after the deletion. */
  void keepFrom(long version) {
    oldestVersion = version;
  }

  long oldestSince(Head head) {
    return Math.max(head.oldestVersion(), oldestVersion);
  }

  /** The commits whose uploads will be aborted. */
  Set<String> commitsOfUploads() {
    return Set.copyOf(uploads.keySet());
  }

  /** Deletes the files, and the records that do not belong to the expired history. */
  void delete() throws IOException, InterruptedException {
    Location root = context.paths().root();
    List<Location> keys = new ArrayList<>();
    FileStream all = files.files();
    for (Optional<Placed> next = all.next(); next.isPresent(); next = all.next()) {
      if (totals.containsKey(next.get().partition())) {
        keys.add(root.resolve(next.get().file().name()));
      }
      if (keys.size() == KEYS) {
        FileDeletion.deleteAll(context, keys, count -> {});
        keys.clear();
      }
    }
    records.stream().filter(it -> !isExpired(it)).forEach(record -> keys.add(record.at()));
    FileDeletion.deleteAll(context, keys, count -> {});
  }

  /** Deletes the records of the expired history after a change of the head. */
  void deleteHistory(HeadStore.Changed change) throws IOException, InterruptedException {
    Set<OrphanFinder.OrphanRecord> kept =
        expired.isEndedBy(change) ? Set.of() : Set.copyOf(expired.tokens());
    List<Location> keys =
        records.stream()
            .filter(it -> isExpired(it) && !kept.contains(it))
            .map(OrphanFinder.OrphanRecord::at)
            .toList();
    FileDeletion.deleteAll(context, keys, count -> {});
  }

  /** The ids of commits that look abandoned: no record says that they were decided. */
  Set<String> commits() throws IOException, InterruptedException {
    Set<String> commits = new HashSet<>();
    records.forEach(record -> commits.add(record.commit()));
    // It was published: a vacuum has ended its history, and died before it deleted the records.
    records.stream().filter(VacuumPlan::isReport).forEach(it -> commits.remove(it.commit()));
    commits.addAll(totals.keySet());
    commits.addAll(uploads.keySet());
    commits.remove("");
    return published.without(commits);
  }

  private static boolean isReport(OrphanFinder.OrphanRecord record) {
    return record.at().name().equals(TablePaths.REPORT);
  }

  /** Keeps everything of commits that turned out to be decided. */
  void keep(Set<String> decided) {
    totals.keySet().removeAll(decided);
    records = records.stream().filter(it -> !decided.contains(it.commit())).toList();
    uploads.keySet().removeAll(decided);
  }

  /**
   * Keeps all files, because a rollback may have restored them. Those of undecided commits too:
   * they may be replaced files of a published commit, which looks undecided if its manifest is lost
   * or another vacuum ended its history.
   */
  void keepFiles() {
    totals.clear();
    keepsReplaced = true;
  }

  VacuumReport report() {
    return new VacuumReport(
        uploads.values().stream().mapToLong(Long::longValue).sum(),
        totals.values().stream().mapToLong(Total::files).sum(),
        totals.values().stream().mapToLong(Total::bytes).sum(),
        records.size(),
        oldestVersion);
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
