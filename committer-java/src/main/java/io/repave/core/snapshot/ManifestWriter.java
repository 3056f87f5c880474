package io.repave.core.snapshot;

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
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Collects a manifest file by file and writes it, in shards when it is long: first the added files,
 * sorted, then the removed files. The index is written only if none exists: of several processes
 * that plan the same commit, one index wins, and it names the shards that count.
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

  /** {@code shardSize} is the most files in a shard, and in an index without shards. */
  ManifestWriter(TableContext context, LedgerIndex ledger, int shardSize, int inMemory) {
    this.context = context;
    this.ledger = ledger;
    this.shardSize = shardSize;
    this.nonce = context.ports().nonces().get();
    this.in = new FileSorter(context.ports().scratch(), inMemory);
    this.out = new FileSorter(context.ports().scratch(), inMemory);
    this.adopted = new FileSorter(context.ports().scratch(), inMemory);
  }

  /** What the commit does with a file. */
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

  /** True when the commit removes a file. */
  public synchronized boolean removesFiles() {
    return out.count() > 0;
  }

  public synchronized void adopted(String partition, FileEntry file)
      throws IOException, InterruptedException {
    adopted.add(partition, file);
  }

  /** Writes the manifest, or returns the one that another process wrote first. */
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
            contents,
            ledger.application(),
            ledger.marker());
    return put(new CommitManifest(index, inline));
  }

  private CommitManifest put(CommitManifest manifest) throws IOException, InterruptedException {
    Location at = context.paths().manifest(ledger.id());
    byte[] bytes = ManifestJson.writeIndex(manifest.index(), manifest.inline());
    Optional<byte[]> existing = context.records().putNew(at, bytes);
    if (existing.isEmpty()) {
      return manifest;
    }
    CommitManifest winner = CommitManifest.parse(existing.get(), ledger.id(), at);
    new ManifestValidation(context, ledger).requireFits(winner);
    return winner;
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
      boolean removed = change == Change.OUT;
      contents.add(
          new ManifestShard(
              partitions.firstKey(),
              partitions.lastKey(),
              removed ? 0 : collected,
              removed ? collected : 0));
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
    context.records().put(context.paths().manifestShard(ledger.id(), name), bytes);
    shards.add(name);
  }

  @Override
  public void close() throws IOException {
    in.close();
    out.close();
    adopted.close();
  }
}
