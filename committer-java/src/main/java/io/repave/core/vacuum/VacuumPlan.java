package io.repave.core.vacuum;

import io.repave.core.record.Head;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a vacuum found to remove. */
final class VacuumPlan {
  /** A data file that goes; {@code commit} is "" when it was published and is retired. */
  record Unneeded(Location at, String commit, long bytes) {}

  private final Set<String> published;
  private List<OrphanFinder.Upload> uploads;
  private List<OrphanFinder.Entry> records = new ArrayList<>();
  private final List<Unneeded> files = new ArrayList<>();
  private ExpiredHistory expired;
  private long oldestVersion;
  private boolean retiredStays;

  /** {@code published}: the ids of all commits that were. */
  VacuumPlan(Set<String> published, List<OrphanFinder.Upload> uploads) {
    this.published = Set.copyOf(published);
    this.uploads = uploads;
  }

  void add(List<OrphanFinder.Entry> more) {
    records.addAll(more);
  }

  /** The commits whose records are among the garbage although they were published. */
  void expire(ExpiredHistory found) {
    expired = found;
  }

  /** Writes down what only records among the garbage name. */
  void writeFiles() throws IOException, InterruptedException {
    expired.writeFiles();
  }

  /** What the next head says about the history. */
  Head expired(Head head) {
    return expired.applied(head);
  }

  /** Leaves the history when the head that is in force still leads to it. */
  void leaveUnlessExpired(Head head) {
    if (!expired.isAppliedIn(head)) {
      Set<String> kept = new HashSet<>();
      expired.commits().forEach(commit -> kept.add(commit.id().id()));
      records = records.stream().filter(it -> !kept.contains(it.commit())).toList();
    }
  }

  void add(Unneeded file) {
    files.add(file);
  }

  /** The oldest version that can still be read when the files are gone. */
  void keepFrom(long version) {
    oldestVersion = version;
  }

  long oldestSince(Head head) {
    return Math.max(head.oldestVersion(), oldestVersion);
  }

  List<OrphanFinder.Upload> uploads() {
    return uploads;
  }

  /** The keys of the files and records. */
  List<Location> keys() {
    List<Location> keys = new ArrayList<>();
    files.forEach(file -> keys.add(file.at()));
    records.forEach(record -> keys.add(record.at()));
    return keys;
  }

  /** Those that look dead: nothing says that they were ever decided. */
  Set<String> commits() {
    Set<String> commits = new HashSet<>();
    files.forEach(file -> commits.add(file.commit()));
    records.forEach(record -> commits.add(record.commit()));
    uploads.forEach(upload -> commits.add(upload.commit()));
    commits.removeAll(published);
    commits.remove("");
    return commits;
  }

  /** Leaves what is of commits that turned out to be decided. */
  void leave(Set<String> decided) {
    files.removeIf(file -> decided.contains(file.commit()));
    records = records.stream().filter(it -> !decided.contains(it.commit())).toList();
    uploads = uploads.stream().filter(it -> !decided.contains(it.commit())).toList();
  }

  /** Leaves what was published and replaced: it may have been brought back. */
  void leaveRetired() {
    files.removeIf(file -> file.commit().isEmpty());
    retiredStays = true;
  }

  /** The version up to which nothing that was replaced is left; 0 when that cannot be said. */
  long retiredUpTo() {
    return retiredStays ? 0 : oldestVersion;
  }

  VacuumReport report() {
    return new VacuumReport(
        uploads.size(),
        files.size(),
        files.stream().mapToLong(Unneeded::bytes).sum(),
        records.size(),
        oldestVersion);
  }
}
