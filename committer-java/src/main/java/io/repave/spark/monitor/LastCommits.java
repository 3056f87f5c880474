package io.repave.spark.monitor;

import io.repave.core.engine.BoundedMap;
import io.repave.core.engine.CommitResult;
import io.repave.core.store.Location;
import io.repave.spark.write.WriteTarget;
import java.util.Map;
import java.util.Optional;

/** The last commit of this process to each table, for callers who ask after a write. */
public final class LastCommits {
  public static final LastCommits JVM = new LastCommits(1_000);

  private final Map<Location, Last> commits;

  /** What a write committed. */
  public record Last(Location table, WriteTarget target, CommitResult result) {}

  /** Remembers this many {@code tables}, and forgets the least recently written one first. */
  LastCommits(int tables) {
    commits = BoundedMap.ofNewest(tables);
  }

  public synchronized void remember(Location table, WriteTarget target, CommitResult result) {
    commits.remove(table);
    commits.put(table, new Last(table, target, result));
  }

  /** A table's last commit; empty if this process has not committed to it. */
  public synchronized Optional<Last> of(Location table) {
    return Optional.ofNullable(commits.get(table));
  }
}
