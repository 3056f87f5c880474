package io.repave.core.ledger;

import io.repave.core.store.Utf8Order;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** The number, size and partitions of the files in a ledger. */
public record LedgerSummary(long files, long bytes, SortedSet<String> partitions) {
  public LedgerSummary {
    SortedSet<String> sorted = new TreeSet<>(Utf8Order.KEYS);
    sorted.addAll(partitions);
    partitions = Collections.unmodifiableSortedSet(sorted);
  }
}
