package io.repave.core.record;

import io.repave.core.store.Utf8Order;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The index of a commit's manifest: the partitions that it touches, the folders that it replaces as
 * a whole, and its files. {@code shards} is empty when the index contains the files itself. {@code
 * contents} describes each shard; it is empty for manifests of version 0.1, whose shards are not
 * sorted.
 *
 * @param application as in the ledger; "" for none, and in manifests of version 0.1
 * @param marker the same
 */
public record ManifestIndex(
    CommitId id,
    CommitKind kind,
    SortedSet<String> touched,
    List<String> scope,
    FileTotals totals,
    List<String> shards,
    List<ManifestShard> contents,
    String application,
    String marker) {
  public ManifestIndex {
    SortedSet<String> sorted = new TreeSet<>(Utf8Order.KEYS);
    sorted.addAll(touched);
    touched = Collections.unmodifiableSortedSet(sorted);
    scope = List.copyOf(scope);
    shards = List.copyOf(shards);
    contents = List.copyOf(contents);
  }

  /** The folders whose earlier files this commit replaces. */
  public Footprint replaced() {
    return Footprint.replaced(kind, touched, scope);
  }
}
