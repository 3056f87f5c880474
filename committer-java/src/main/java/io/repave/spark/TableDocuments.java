package io.repave.spark;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.Table;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the records say about a table, as the documents of {@code docs/json.md}. Python's {@code
 * TableRecords} answers the same; the folder {@code contract} holds both to it.
 */
public final class TableDocuments {
  /** Stands for the newest version. */
  public static final long NEWEST = -1;

  private final String name;
  private final Table table;

  /** {@code name}: how documents and messages call the table. */
  public TableDocuments(String name, Table table) {
    this.name = name;
    this.table = table;
  }

  public JsonNode status() throws IOException, InterruptedException {
    return TableJson.status(name, table.head());
  }

  /** The newest commits, at most so many: 1 GET each, and 1 for 500 older ones. */
  public JsonNode history(int limit) throws IOException, InterruptedException {
    List<JsonNode> entries = new ArrayList<>();
    Optional<Head> head = table.head();
    if (head.isPresent()) {
      Set<String> active = new HashSet<>();
      for (ActiveCommit commit : head.get().active()) {
        active.add(commit.id().id());
        if (entries.size() < limit) {
          entries.add(TableJson.entry(commit, table.manifest(commit.id())));
        }
      }
      for (LoggedCommit commit : over(head.get(), limit)) {
        if (entries.size() < limit && !active.contains(commit.id().id())) {
          entries.add(TableJson.entry(commit, table.manifest(commit.id())));
        }
      }
    }
    return TableJson.array(entries);
  }

  public JsonNode manifest(long version) throws IOException, InterruptedException {
    Head head = recorded();
    long wanted = version == NEWEST ? head.version() : version;
    LoggedCommit commit = published(head, wanted);
    CommitManifest plan =
        table
            .manifest(commit.id())
            .orElseThrow(
                () ->
                    new InvalidRecordException(
                        "The record "
                            + table.paths().manifest(commit.id())
                            + " is missing: restore it from a backup."));
    return TableJson.manifest(table, wanted, plan);
  }

  public JsonNode files(long version) throws IOException, InterruptedException {
    Head head = recorded();
    long wanted = version == NEWEST ? head.version() : version;
    if (wanted < 0 || wanted > head.version()) {
      throw noVersion(head, wanted);
    }
    if (wanted < head.oldestVersion()) {
      throw new InvalidConfigException(
          name
              + " keeps no files of version "
              + wanted
              + " any more: they were vacuumed. The oldest that can be read is "
              + head.oldestVersion()
              + ".");
    }
    return TableJson.files(wanted, table.snapshot(head, wanted));
  }

  /** Newest first: the commits that the head's log names, reverted ones too, then older ones. */
  private List<LoggedCommit> over(Head head, int wanted) throws IOException, InterruptedException {
    List<LoggedCommit> all = new ArrayList<>(table.history(wanted));
    all.removeAll(head.log());
    head.log().stream()
        .filter(commit -> commit.reverted() || commit.version() >= head.historyFrom())
        .forEach(all::add);
    Collections.reverse(all);
    return all;
  }

  /** The commit of a version; older records are read only when the head's log does not name it. */
  private LoggedCommit published(Head head, long version) throws IOException, InterruptedException {
    if (version < 1 || version > head.version()) {
      throw noVersion(head, version);
    }
    if (version < head.historyFrom()) {
      throw new InvalidConfigException(
          name
              + " has no record of version "
              + version
              + " any more: its history begins at version "
              + head.historyFrom()
              + ". Vacuum removed what is older than repave.history.retention, or it was lost.");
    }
    List<LoggedCommit> logged = head.publishedSince(version - 1);
    Optional<LoggedCommit> found = find(logged, version);
    return found.isPresent()
        ? found.get()
        : find(table.history(), version).orElseThrow(() -> noVersion(head, version));
  }

  private static Optional<LoggedCommit> find(List<LoggedCommit> commits, long version) {
    return commits.stream().filter(commit -> commit.version() == version).findFirst();
  }

  private Head recorded() throws IOException, InterruptedException {
    return table
        .head()
        .orElseThrow(
            () ->
                new InvalidConfigException(
                    "Repave has not committed to " + name + ": it has no versions."));
  }

  private InvalidConfigException noVersion(Head head, long version) {
    return new InvalidConfigException(
        name + " has no version " + version + "; its newest is " + head.version() + ".");
  }
}
