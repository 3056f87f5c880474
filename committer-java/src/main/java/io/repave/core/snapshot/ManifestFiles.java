package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.ManifestShard;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.FileStream.Placed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The files that a commit added to or removed from some partitions, sorted. Shards without these
 * partitions are not read. Shards of version 0.1 are not sorted, so all of them are read.
 */
final class ManifestFiles implements AutoCloseable {
  private final TableContext context;
  private final CommitManifest manifest;
  private final Footprint wanted;
  private final List<FileSorter> sorters = new ArrayList<>();

  ManifestFiles(TableContext context, CommitManifest manifest, Footprint wanted) {
    this.context = context;
    this.manifest = manifest;
    this.wanted = wanted;
  }

  /** Selects the added or the removed files of an entry. */
  private record Side(
      Function<PartitionEntry, List<FileEntry>> files, ToLongFunction<ManifestShard> count) {}

  private static final Side ADDED = new Side(PartitionEntry::added, ManifestShard::added);
  private static final Side REMOVED = new Side(PartitionEntry::out, ManifestShard::removed);

  /** The files that the commit wrote or adopted. */
  FileStream added() throws IOException, InterruptedException {
    return files(ADDED);
  }

  /** The files that the commit removed. */
  FileStream removed() throws IOException, InterruptedException {
    return files(REMOVED);
  }

  private FileStream files(Side side) throws IOException, InterruptedException {
    ManifestIndex index = manifest.index();
    if (index.shards().isEmpty()) {
      return FileStream.of(placed(manifest.inline(), side).iterator());
    }
    if (!index.contents().isEmpty()) {
      return shards(side);
    }
    FileSorter sorter = new FileSorter(context);
    sorters.add(sorter);
    manifest.each(
        context,
        entries -> {
          for (Placed placed : placed(entries, side)) {
            sorter.add(placed.partition(), placed.file());
          }
        });
    return sorter.files();
  }

  private FileStream shards(Side side) {
    Iterator<Integer> numbers = wantedShards(side).iterator();
    List<Iterator<Placed>> open = new ArrayList<>(List.of(Collections.emptyIterator()));
    return () -> {
      while (!open.get(0).hasNext() && numbers.hasNext()) {
        open.set(0, placed(manifest.shard(context, numbers.next()), side).iterator());
      }
      return open.get(0).hasNext() ? Optional.of(open.get(0).next()) : Optional.empty();
    };
  }

  private List<Integer> wantedShards(Side side) {
    List<Integer> numbers = new ArrayList<>();
    List<ManifestShard> contents = manifest.index().contents();
    for (int number = 0; number < contents.size(); number++) {
      ManifestShard shard = contents.get(number);
      if (side.count().applyAsLong(shard) > 0
          && wanted.mayCoverBetween(shard.first(), shard.last())) {
        numbers.add(number);
      }
    }
    return numbers;
  }

  private List<Placed> placed(List<PartitionEntry> entries, Side side) {
    List<Placed> placed = new ArrayList<>();
    for (PartitionEntry entry : entries) {
      if (wanted.covers(entry.partition())) {
        side.files().apply(entry).forEach(file -> placed.add(new Placed(entry.partition(), file)));
      }
    }
    placed.sort(Placed.ORDER);
    return placed;
  }

  @Override
  public void close() throws IOException {
    for (FileSorter sorter : sorters) {
      sorter.close();
    }
  }
}
