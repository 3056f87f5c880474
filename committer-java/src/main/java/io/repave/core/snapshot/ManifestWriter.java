package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.DividedRecords;
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
    if (in.count() + out.count() + adopted.count() <= shardSize) {
      List<PartitionEntry> inline = inline();
      CommitManifest whole = new CommitManifest(index(sum(FileTotals.NONE, inline)), inline);
      Optional<byte[]> record = recordOf(whole);
      if (record.isPresent()) {
        return put(whole, record.get());
      }
    }
    putShards(adopted, Change.ADOPTED);
    putShards(in, Change.IN);
    putShards(out, Change.OUT);
    CommitManifest sharded = new CommitManifest(index(totals), List.of());
    return put(sharded, ManifestJson.writeIndex(sharded.index(), List.of()));
  }

  /** Empty when it is too large for one record: there is room for its files in shards. */
  private static Optional<byte[]> recordOf(CommitManifest whole) {
    try {
      return Optional.of(ManifestJson.writeIndex(whole.index(), whole.inline()));
    } catch (InvalidRecordException tooLarge) {
      return Optional.empty();
    }
  }

  private ManifestIndex index(FileTotals files) {
    return new ManifestIndex(
        ledger.id(),
        ledger.kind(),
        ledger.summary().partitions(),
        ledger.scope(),
        files,
        shards,
        contents,
        ledger.application(),
        ledger.marker());
  }

  private static FileTotals sum(FileTotals before, List<PartitionEntry> entries) {
    FileTotals sum = before;
    for (PartitionEntry entry : entries) {
      sum = sum.plus(entry);
    }
    return sum;
  }

  private CommitManifest put(CommitManifest manifest, byte[] bytes)
      throws IOException, InterruptedException {
    Location at = context.paths().manifest(ledger.id());
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
    collect(next(adopted.files(), Integer.MAX_VALUE), Change.ADOPTED, partitions);
    collect(next(in.files(), Integer.MAX_VALUE), Change.IN, partitions);
    collect(next(out.files(), Integer.MAX_VALUE), Change.OUT, partitions);
    return entries(partitions);
  }

  private void putShards(FileSorter files, Change change) throws IOException, InterruptedException {
    FileStream stream = files.files();
    List<Placed> placed = next(stream, shardSize);
    while (!placed.isEmpty()) {
      DividedRecords.write(
          placed,
          part -> ManifestJson.writeShard(ledger.id(), entries(part, change)),
          (part, record) -> putShard(part, change, record));
      placed = next(stream, shardSize);
    }
  }

  private static List<Placed> next(FileStream files, int most)
      throws IOException, InterruptedException {
    List<Placed> next = new ArrayList<>();
    while (next.size() < most) {
      Optional<Placed> file = files.next();
      if (file.isEmpty()) {
        return next;
      }
      next.add(file.get());
    }
    return next;
  }

  private static void collect(
      List<Placed> files, Change change, TreeMap<String, Collected> partitions) {
    for (Placed placed : files) {
      partitions
          .computeIfAbsent(placed.partition(), partition -> new Collected())
          .of(change)
          .add(placed.file());
    }
  }

  private static List<PartitionEntry> entries(List<Placed> files, Change change) {
    TreeMap<String, Collected> partitions = new TreeMap<>(Utf8Order.KEYS);
    collect(files, change, partitions);
    return entries(partitions);
  }

  private static List<PartitionEntry> entries(TreeMap<String, Collected> partitions) {
    List<PartitionEntry> entries = new ArrayList<>(partitions.size());
    for (var partition : partitions.entrySet()) {
      Collected files = partition.getValue();
      entries.add(new PartitionEntry(partition.getKey(), files.in, files.out, files.adopted));
    }
    return entries;
  }

  private void putShard(List<Placed> files, Change change, byte[] record)
      throws IOException, InterruptedException {
    String name = String.format("manifest-%s-%05d.json.gz", nonce, shards.size());
    context.records().put(context.paths().manifestShard(ledger.id(), name), record);
    boolean removed = change == Change.OUT;
    shards.add(name);
    contents.add(
        new ManifestShard(
            files.get(0).partition(),
            files.get(files.size() - 1).partition(),
            removed ? 0 : files.size(),
            removed ? files.size() : 0));
    totals = sum(totals, entries(files, change));
  }

  @Override
  public void close() throws IOException {
    in.close();
    out.close();
    adopted.close();
  }
}
