package io.repave.core.record;

import io.repave.core.ledger.LedgerSummary;
import java.util.List;
import java.util.stream.Stream;

/**
 * The first record of a commit: what it will do.
 *
 * @param scope the folders that a static overwrite replaces
 * @param application the program that writes, "" for none
 * @param marker the path of {@code _SUCCESS}, "" for none
 * @param target the version that a rollback restores
 * @param shards the number of shards; 0 when the index contains the files itself
 */
public record LedgerIndex(
    CommitId id,
    CommitKind kind,
    List<String> scope,
    String token,
    String application,
    String marker,
    LedgerSummary summary,
    long target,
    int shards) {
  public LedgerIndex {
    scope = List.copyOf(scope);
  }

  /** The same commit with its files in shards. */
  public LedgerIndex withShards(int number) {
    return new LedgerIndex(id, kind, scope, token, application, marker, summary, target, number);
  }

  /** Every folder in which this commit may add or remove a file. */
  public Footprint footprint() {
    if (kind == CommitKind.ROLLBACK) {
      return Footprint.EVERYTHING;
    }
    return Footprint.of(Stream.concat(summary.partitions().stream(), scope.stream()).toList());
  }

  /** The folders whose earlier files this commit replaces. */
  public Footprint replaced() {
    return Footprint.replaced(kind, summary.partitions(), scope);
  }
}
