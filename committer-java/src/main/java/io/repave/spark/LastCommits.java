package io.repave.spark;

import io.repave.core.engine.CommitResult;
import io.repave.core.store.Location;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The last commit of this process to each table, for callers who ask after a write. */
final class LastCommits {
  static final LastCommits JVM = new LastCommits(1_000);

  private final int tables;
  private final Map<Location, String> documents = new LinkedHashMap<>();

  /** Remembers this many {@code tables}, and forgets the least recently written one first. */
  LastCommits(int tables) {
    this.tables = tables;
  }

  synchronized void remember(Location table, WriteTarget target, CommitResult result) {
    documents.remove(table);
    documents.put(table, TableJson.lastCommit(table, target, result).toString());
    if (documents.size() > tables) {
      documents.remove(documents.keySet().iterator().next());
    }
  }

  /** The document of a table's last commit; empty if this process has not committed to it. */
  synchronized Optional<String> of(Location table) {
    return Optional.ofNullable(documents.get(table));
  }
}
