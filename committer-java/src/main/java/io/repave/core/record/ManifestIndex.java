package io.repave.core.record;

import io.repave.core.store.Utf8Order;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The plan of a commit, later its history: which partitions it touches, which folders it replaces
 * whole, and where the files stand ({@code shards} is empty when they stand in the index itself).
 * {@code contents} says what each shard holds; it is empty for manifests of version 0.1, whose
 * shards are in no order.
 */
public record ManifestIndex(
    CommitId id,
    CommitKind kind,
    SortedSet<String> touched,
    List<String> scope,
    FileTotals totals,
    List<String> shards,
    List<ManifestShard> contents) {
  public ManifestIndex {
    SortedSet<String> sorted = new TreeSet<>(Utf8Order.KEYS);
    sorted.addAll(touched);
    touched = Collections.unmodifiableSortedSet(sorted);
    scope = List.copyOf(scope);
    shards = List.copyOf(shards);
    contents = List.copyOf(contents);
  }

  /** The folders of which no older file is live after this commit. */
  public Footprint replaced() {
    return Footprint.replaced(kind, touched, scope);
  }
}
