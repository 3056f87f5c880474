package io.repave.core.record;

import io.repave.core.ledger.LedgerSummary;
import java.util.List;

/**
 * What a commit is about to do, as its first record says it. {@code scope} holds the folders that a
 * static overwrite replaces; {@code application} names the program that wrote, "" for none; {@code
 * marker} is where {@code _SUCCESS} goes, "" for nowhere; {@code target} is the version that a
 * rollback returns to; {@code shards} is 0 when the files stand in the index itself.
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

  /** Every folder in which this commit may add or remove a file. */
  public Footprint footprint() {
    return kind == CommitKind.ROLLBACK
        ? Footprint.EVERYTHING
        : Footprint.of(summary.partitions(), scope);
  }
}
