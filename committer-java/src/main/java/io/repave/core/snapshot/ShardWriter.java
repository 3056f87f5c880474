package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.DividedRecords;
import io.repave.core.record.FileEntry;
import io.repave.core.snapshot.FileStream.Placed;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** Divides the files of a checkpoint into shards of similar size and writes them. */
final class ShardWriter {
  private final TableContext context;
  private final String checkpoint;
  private final int size;
  private final List<CheckpointShard> shards = new ArrayList<>();
  private final List<Placed> collected = new ArrayList<>();
  private int written;

  /** {@code size} is the number of files in a shard. */
  ShardWriter(TableContext context, String checkpoint, int size) {
    this.context = context;
    this.checkpoint = checkpoint;
    this.size = size;
  }

  /** The written and the kept shards so far, in order. */
  List<CheckpointShard> shards() {
    return shards;
  }

  void add(String partition, FileEntry file) throws IOException, InterruptedException {
    collected.add(new Placed(partition, file));
    // The last files make two shards of similar size rather than one full and one tiny shard.
    if (collected.size() == size + size / 2) {
      write(size);
    }
  }

  /** Names a shard of an earlier checkpoint again; it sorts after the files added so far. */
  void keep(CheckpointShard shard) throws IOException, InterruptedException {
    flush();
    shards.add(shard);
  }

  void flush() throws IOException, InterruptedException {
    if (collected.size() > size) {
      write(collected.size() / 2);
    }
    if (!collected.isEmpty()) {
      write(collected.size());
    }
  }

  private void write(int files) throws IOException, InterruptedException {
    List<Placed> next = collected.subList(0, files);
    DividedRecords.write(next, ShardWriter::record, this::put);
    next.clear();
  }

  private static byte[] record(List<Placed> files) throws InvalidRecordException {
    SortedMap<String, List<FileEntry>> partitions = new TreeMap<>(Utf8Order.KEYS);
    for (Placed placed : files) {
      partitions
          .computeIfAbsent(placed.partition(), partition -> new ArrayList<>())
          .add(placed.file());
    }
    return CheckpointJson.writeShard(partitions);
  }

  private void put(List<Placed> files, byte[] record) throws IOException, InterruptedException {
    String name = String.format(Locale.ROOT, "%s-%05d.json.gz", checkpoint, written++);
    context.records().put(context.paths().checkpoint(name), record);
    String first = files.get(0).partition();
    String last = files.get(files.size() - 1).partition();
    shards.add(new CheckpointShard(name, first, last, files.size(), true));
  }
}
