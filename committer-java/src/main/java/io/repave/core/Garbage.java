package io.repave.core;

import io.repave.core.record.Head;
import io.repave.core.step.Leftovers;
import io.repave.core.store.Location;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a vacuum found to remove. */
final class Garbage {
  /** A data file that goes; {@code commit} is "" when it was published and is retired. */
  record Unneeded(Location at, String commit, long bytes) {}

  private final Set<String> published;
  private List<Leftovers.Upload> uploads;
  private List<Leftovers.Entry> records;
  private final List<Unneeded> files = new ArrayList<>();
  private long oldestVersion;

  /** {@code published}: the ids of all commits that were. */
  Garbage(Set<String> published, List<Leftovers.Upload> uploads, List<Leftovers.Entry> records) {
    this.published = Set.copyOf(published);
    this.uploads = uploads;
    this.records = records;
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

  List<Leftovers.Upload> uploads() {
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
