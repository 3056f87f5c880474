package io.repave.core.snapshot;

import io.repave.core.engine.HeadStore;
import io.repave.core.engine.Retry;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.FileEntry;
import io.repave.core.record.FileTotals;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.ManifestJson;
import io.repave.core.record.ManifestShard;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.FileStream.Placed;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Collects a plan file by file and writes it, in shards when it is long: those of the files that
 * come in, in order, then those of the files that go out. The index is put if absent: of several
 * processes that plan the same commit, one plan wins, and it is that index alone which says whose
 * shards count.
 */
public final class ManifestWriter implements AutoCloseable {
  private final TableContext context;
  private final LedgerIndex ledger;
  private final int shardSize;
  private final String nonce;
  private final FileSorter in;
  private final FileSorter out;
  private final FileSorter adopted;
  private final List<String> shards = new ArrayList<>();
  private final List<ManifestShard> contents = new ArrayList<>();
  private FileTotals totals = FileTotals.NONE;

  public ManifestWriter(TableContext context, LedgerIndex ledger) {
    this(context, ledger, Ledger.BATCH, FileSorter.IN_MEMORY);
  }

  /** {@code shardSize}: the files of a shard, and of an index without shards. */
  ManifestWriter(TableContext context, LedgerIndex ledger, int shardSize, int inMemory) {
    this.context = context;
    this.ledger = ledger;
    this.shardSize = shardSize;
    this.nonce = context.ports().nonces().get();
    this.in = new FileSorter(context.ports().scratch(), inMemory);
    this.out = new FileSorter(context.ports().scratch(), inMemory);
    this.adopted = new FileSorter(context.ports().scratch(), inMemory);
  }

  /** What happens to a file. */
  private enum Change {
    IN,
    OUT,
    ADOPTED
  }

  public synchronized void in(String partition, FileEntry file)
      throws IOException, InterruptedException {
    in.add(partition, file);
  }

  public synchronized void out(String partition, FileEntry file)
      throws IOException, InterruptedException {
    out.add(partition, file);
  }

  /** True once a file goes out. */
  public synchronized boolean takesOut() {
    return out.count() > 0;
  }

  public synchronized void adopted(String partition, FileEntry file)
      throws IOException, InterruptedException {
    adopted.add(partition, file);
  }

  /** Makes the plan durable, or returns the one that another process made first. */
  public synchronized CommitManifest finish() throws IOException, InterruptedException {
    List<PartitionEntry> inline = List.of();
    if (in.count() + out.count() + adopted.count() <= shardSize) {
      inline = inline();
    } else {
      putShards(adopted, Change.ADOPTED);
      putShards(in, Change.IN);
      putShards(out, Change.OUT);
    }
    ManifestIndex index =
        new ManifestIndex(
            ledger.id(),
            ledger.kind(),
            ledger.summary().partitions(),
            ledger.scope(),
            totals,
            shards,
            contents);
    return put(new CommitManifest(index, inline));
  }

  private CommitManifest put(CommitManifest plan) throws IOException, InterruptedException {
    byte[] bytes = ManifestJson.writeIndex(plan.index(), plan.inline());
    Location at = context.paths().manifest(ledger.id());
    Retry.Attempts attempts = context.retry().begin();
    while (true) {
      try {
        context.store().putIfAbsent(at, ByteBuffer.wrap(bytes));
        return plan;
      } catch (StoreException e) {
        // Refused: there is a plan, perhaps this very one. Unknown: there may be.
        Optional<CommitManifest> there =
            HeadStore.open(e) ? CommitManifest.of(context, ledger) : Optional.empty();
        if (there.isPresent()) {
          return there.get();
        }
        if (!HeadStore.open(e) || !attempts.pause()) {
          throw e;
        }
      }
    }
  }

  /** The files of one partition. */
  private static final class Collected {
    final List<FileEntry> in = new ArrayList<>();
    final List<FileEntry> out = new ArrayList<>();
    final List<FileEntry> adopted = new ArrayList<>();

    List<FileEntry> of(Change change) {
      return switch (change) {
        case IN -> in;
        case OUT -> out;
        case ADOPTED -> adopted;
      };
    }
  }

  private List<PartitionEntry> inline() throws IOException, InterruptedException {
    TreeMap<String, Collected> partitions = new TreeMap<>(Utf8Order.KEYS);
    collect(adopted.files(), Change.ADOPTED, partitions, Integer.MAX_VALUE);
    collect(in.files(), Change.IN, partitions, Integer.MAX_VALUE);
    collect(out.files(), Change.OUT, partitions, Integer.MAX_VALUE);
    return entries(partitions);
  }

  private void putShards(FileSorter files, Change change) throws IOException, InterruptedException {
    FileStream stream = files.files();
    TreeMap<String, Collected> partitions = new TreeMap<>(Utf8Order.KEYS);
    int collected = collect(stream, change, partitions, shardSize);
    while (collected > 0) {
      boolean goes = change == Change.OUT;
      contents.add(
          new ManifestShard(
              partitions.firstKey(),
              partitions.lastKey(),
              goes ? 0 : collected,
              goes ? collected : 0));
      putShard(entries(partitions));
      partitions.clear();
      collected = collect(stream, change, partitions, shardSize);
    }
  }

  private static int collect(
      FileStream files, Change change, TreeMap<String, Collected> partitions, int most)
      throws IOException, InterruptedException {
    int collected = 0;
    while (collected < most) {
      Optional<Placed> next = files.next();
      if (next.isEmpty()) {
        return collected;
      }
      partitions
          .computeIfAbsent(next.get().partition(), partition -> new Collected())
          .of(change)
          .add(next.get().file());
      collected++;
    }
    return collected;
  }

  private List<PartitionEntry> entries(TreeMap<String, Collected> partitions) {
    List<PartitionEntry> entries = new ArrayList<>(partitions.size());
    for (var partition : partitions.entrySet()) {
      Collected files = partition.getValue();
      PartitionEntry entry =
          new PartitionEntry(partition.getKey(), files.in, files.out, files.adopted);
      totals = totals.plus(entry);
      entries.add(entry);
    }
    return entries;
  }

  private void putShard(List<PartitionEntry> entries) throws IOException, InterruptedException {
    String name = String.format("manifest-%s-%05d.json.gz", nonce, shards.size());
    byte[] bytes = ManifestJson.writeShard(ledger.id(), entries);
    Location at = context.paths().manifestShard(ledger.id(), name);
    context.retry().known(() -> context.store().put(at, ByteBuffer.wrap(bytes)));
    shards.add(name);
  }

  @Override
  public void close() throws IOException {
    in.close();
    out.close();
    adopted.close();
  }
}
