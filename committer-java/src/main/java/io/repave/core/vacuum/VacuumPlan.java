package io.repave.core.vacuum;

import io.repave.core.record.Head;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a vacuum will delete. */
final class VacuumPlan {
  /** A data file to delete; {@code commit} is "" when it was published and is retired. */
  record ExpiredFile(Location at, String commit, long bytes) {}

  private final Set<String> published;
  private List<OrphanFinder.Upload> uploads;
  private List<OrphanFinder.OrphanRecord> records = new ArrayList<>();
  private final List<ExpiredFile> files = new ArrayList<>();
  private ExpiredHistory expired;
  private long oldestVersion;
  private boolean keepsRetired;

  /** {@code published} holds the ids of all published commits. */
  VacuumPlan(Set<String> published, List<OrphanFinder.Upload> uploads) {
    this.published = Set.copyOf(published);
    this.uploads = uploads;
  }

  void add(List<OrphanFinder.OrphanRecord> more) {
    records.addAll(more);
  }

  /** Sets the published commits whose records will be deleted. */
  void expire(ExpiredHistory found) {
    expired = found;
  }

  /** Writes a checkpoint with files that only records to be deleted name. */
  void writeFiles() throws IOException, InterruptedException {
    expired.writeFiles();
  }

  /**
   * The head after the deletion: it names the version up to which replaced files are deleted, and
   * the expired history is gone. The same head when files stay that only this history names.
   */
  Head ended(Head head) {
    if (keepsRetired) {
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

  void add(ExpiredFile file) {
    files.add(file);
  }

  /** Sets the oldest version that can still be read after the deletion. */
  void keepFrom(long version) {
    oldestVersion = version;
  }

  long oldestSince(Head head) {
    return Math.max(head.oldestVersion(), oldestVersion);
  }

  List<OrphanFinder.Upload> uploads() {
    return uploads;
  }

  /** The keys of the files, and of the records that do not belong to the expired history. */
  List<Location> keys() {
    List<Location> keys = new ArrayList<>();
    files.forEach(file -> keys.add(file.at()));
    records.stream().filter(it -> !isExpired(it)).forEach(record -> keys.add(record.at()));
    return keys;
  }

  /** The keys of the records of the expired history. */
  List<Location> expiredRecords() {
    return records.stream().filter(this::isExpired).map(OrphanFinder.OrphanRecord::at).toList();
  }

  /** The ids of commits that look abandoned: no record says that they were decided. */
  Set<String> commits() {
    Set<String> commits = new HashSet<>();
    files.forEach(file -> commits.add(file.commit()));
    records.forEach(record -> commits.add(record.commit()));
    uploads.forEach(upload -> commits.add(upload.commit()));
    commits.removeAll(published);
    commits.remove("");
    return commits;
  }

  /** Keeps everything of commits that turned out to be decided. */
  void keep(Set<String> decided) {
    files.removeIf(file -> decided.contains(file.commit()));
    records = records.stream().filter(it -> !decided.contains(it.commit())).toList();
    uploads = uploads.stream().filter(it -> !decided.contains(it.commit())).toList();
  }

  /** Keeps retired files, because a rollback may have restored them. */
  void keepRetired() {
    files.removeIf(file -> file.commit().isEmpty());
    keepsRetired = true;
  }

  VacuumReport report() {
    return new VacuumReport(
        uploads.size(),
        files.size(),
        files.stream().mapToLong(ExpiredFile::bytes).sum(),
        records.size(),
        oldestVersion);
  }
}
