package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.Footprint;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.FileStream.Placed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The files of a checkpoint's shards, in order. A few shards are read in parallel and are in memory
 * at a time. Shards of version 0.1 are not sorted within a partition, so they are sorted first.
 */
final class CheckpointFiles implements AutoCloseable {
  private static final int AT_ONCE = 8;

  private final TableContext context;
  private final CheckpointChain chain;
  private final Footprint wanted;
  private final FileSorter unsorted;

  CheckpointFiles(TableContext context, Footprint wanted) {
    this.context = context;
    this.chain = new CheckpointChain(context);
    this.wanted = wanted;
    this.unsorted = new FileSorter(context);
  }

  /** The wanted files of these shards. Requests: 1 GET per shard that may contain one. */
  FileStream of(List<CheckpointShard> shards) throws IOException, InterruptedException {
    List<CheckpointShard> sorted = new ArrayList<>();
    for (CheckpointShard shard : shards) {
      if (!wanted.mayCoverBetween(shard.first(), shard.last())) {
        continue;
      }
      if (shard.sorted()) {
        sorted.add(shard);
      } else {
        for (Placed placed : read(shard)) {
          unsorted.add(placed.partition(), placed.file());
        }
      }
    }
    FileStream inOrder = new InOrder(sorted);
    return unsorted.count() == 0 ? inOrder : new FileMerge(List.of(inOrder, unsorted.files()));
  }

  private List<Placed> read(CheckpointShard shard) throws IOException, InterruptedException {
    List<Placed> files = new ArrayList<>();
    for (PartitionEntry entry : chain.entries(shard)) {
      if (wanted.covers(entry.partition())) {
        entry.in().forEach(file -> files.add(new Placed(entry.partition(), file)));
      }
    }
    return files;
  }

  /** Reads shards one after the other, a few ahead. */
  private final class InOrder implements FileStream {
    private final List<CheckpointShard> shards;
    private int read;
    private Iterator<Placed> files = Collections.emptyIterator();

    InOrder(List<CheckpointShard> shards) {
      this.shards = shards;
    }

    @Override
    public Optional<Placed> next() throws IOException, InterruptedException {
      while (!files.hasNext() && read < shards.size()) {
        files = readMore();
      }
      return files.hasNext() ? Optional.of(files.next()) : Optional.empty();
    }

    private Iterator<Placed> readMore() throws IOException, InterruptedException {
      int from = read;
      read = Math.min(shards.size(), from + AT_ONCE);
      List<List<Placed>> more = new ArrayList<>(Collections.nCopies(read - from, List.of()));
      Iterator<Integer> numbers = IntStream.range(0, read - from).iterator();
      context.runner().each(numbers, number -> more.set(number, read(shards.get(from + number))));
      return more.stream().flatMap(List::stream).iterator();
    }
  }

  @Override
  public void close() throws IOException {
    unsorted.close();
  }
}
