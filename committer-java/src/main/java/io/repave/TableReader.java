package io.repave;

import io.repave.core.Table;
import io.repave.core.error.RecordErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the records of a table. Python's {@code TableRecords} returns the same; the tables in the
 * folder {@code contract} compare them.
 */
final class TableReader {
  private final String name;
  private final Table table;

  /** {@code name} is the table's name in results and messages. */
  TableReader(String name, Table table) {
    this.name = name;
    this.table = table;
  }

  TableStatus status() throws IOException, InterruptedException {
    return Results.status(name, table.head());
  }

  /** The newest commits, at most {@code limit}: 1 GET each, and 1 for 500 older ones. */
  List<HistoryEntry> history(int limit) throws IOException, InterruptedException {
    Optional<Head> head = table.head();
    return head.isEmpty() ? List.of() : table.answer(head.get(), now -> history(now, limit));
  }

  private List<HistoryEntry> history(Head head, int limit)
      throws IOException, InterruptedException {
    List<HistoryEntry> entries = new ArrayList<>();
    Set<String> active = new HashSet<>();
    for (ActiveCommit commit : head.active()) {
      active.add(commit.id().id());
      if (entries.size() < limit) {
        entries.add(Results.entry(commit, table.manifest(commit.id())));
      }
    }
    for (LoggedCommit commit : ended(head, limit)) {
      if (entries.size() < limit && !active.contains(commit.id().id())) {
        entries.add(Results.entry(commit, table.manifest(commit.id())));
      }
    }
    return List.copyOf(entries);
  }

  TableManifest manifest(long version) throws IOException, InterruptedException {
    return table.answer(recorded(), head -> manifest(head, version));
  }

  private TableManifest manifest(Head head, long version) throws IOException, InterruptedException {
    long wanted = version == RepaveTable.NEWEST ? head.version() : version;
    LoggedCommit commit = published(head, wanted);
    CommitManifest plan =
        table
            .manifest(commit.id())
            .orElseThrow(() -> RecordErrors.missing(table.paths().manifest(commit.id())));
    List<PartitionChange> partitions = new ArrayList<>();
    table.entries(plan, entries -> entries.forEach(entry -> partitions.add(Results.change(entry))));
    return Results.manifest(wanted, plan.index(), partitions);
  }

  long versionAt(Instant moment) throws IOException, InterruptedException {
    return table.answer(recorded(), head -> table.versionAt(head, moment.toEpochMilli()));
  }

  TableFiles files(long version) throws IOException, InterruptedException {
    return table.answer(recorded(), head -> files(head, version));
  }

  private TableFiles files(Head head, long version) throws IOException, InterruptedException {
    long wanted = version == RepaveTable.NEWEST ? head.version() : version;
    if (wanted < 0 || wanted > head.version()) {
      throw TableErrors.noVersion(name, wanted, head);
    }
    if (wanted < head.oldestVersion()) {
      throw TableErrors.filesVacuumed(name, wanted, head);
    }
    return Results.files(wanted, table.snapshot(head, wanted));
  }

  /** The partitions that the newest version's commit put files into; none without a version. */
  List<String> newestPartitions() throws IOException, InterruptedException {
    Optional<Head> head = table.head();
    return head.isEmpty() ? List.of() : table.answer(head.get(), this::newestPartitions);
  }

  private List<String> newestPartitions(Head head) throws IOException, InterruptedException {
    return head.version() == 0
        ? List.of()
        : AddedPartitions.of(table, published(head, head.version()).id());
  }

  /** Newest first: the commits in the head's log, including reverted ones, then older ones. */
  private List<LoggedCommit> ended(Head head, int wanted) throws IOException, InterruptedException {
    List<LoggedCommit> all = new ArrayList<>(table.history(head, wanted));
    all.removeAll(head.log());
    head.log().stream()
        .filter(commit -> commit.reverted() || commit.version() >= head.historyFrom())
        .forEach(all::add);
    Collections.reverse(all);
    return all;
  }

  /** The commit of a version. Older records are read only if the head's log does not list it. */
  private LoggedCommit published(Head head, long version) throws IOException, InterruptedException {
    if (version < 1 || version > head.version()) {
      throw TableErrors.noVersion(name, version, head);
    }
    if (version < head.historyFrom()) {
      throw TableErrors.historyRemoved(name, version, head);
    }
    List<LoggedCommit> logged = head.publishedSince(version - 1);
    Optional<LoggedCommit> found = find(logged, version);
    return found.isPresent()
        ? found.get()
        : find(table.history(head, Integer.MAX_VALUE), version)
            .orElseThrow(() -> TableErrors.noVersion(name, version, head));
  }

  private static Optional<LoggedCommit> find(List<LoggedCommit> commits, long version) {
    return commits.stream().filter(commit -> commit.version() == version).findFirst();
  }

  private Head recorded() throws IOException, InterruptedException {
    return table.head().orElseThrow(() -> UsageErrors.noVersions(name));
  }
}
