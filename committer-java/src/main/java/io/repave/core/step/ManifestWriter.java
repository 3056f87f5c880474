package io.repave.core.step;

import io.repave.core.ledger.Ledger;
import io.repave.core.record.FileEntry;
import io.repave.core.record.FileTotals;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.ManifestJson;
import io.repave.core.record.PartitionEntry;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Collects a plan file by file and writes it, in shards when it is long. The index is put if
 * absent: of several processes that plan the same commit, one plan wins, and it is that index alone
 * which says whose shards count.
 */
final class ManifestWriter {
  private final StepContext context;
  private final LedgerIndex ledger;
  private final String nonce;
  private final TreeMap<String, Collected> partitions = new TreeMap<>();
  private final List<String> shards = new ArrayList<>();
  private int collected;
  private FileTotals totals = FileTotals.NONE;

  ManifestWriter(StepContext context, LedgerIndex ledger) {
    this.context = context;
    this.ledger = ledger;
    this.nonce = context.ports().nonces().get();
  }

  private static final class Collected {
    final List<FileEntry> in = new ArrayList<>();
    final List<FileEntry> out = new ArrayList<>();
    final List<FileEntry> adopted = new ArrayList<>();
  }

  synchronized void in(String partition, FileEntry file) throws IOException, InterruptedException {
    partition(partition).in.add(file);
    flushFull();
  }

  synchronized void out(String partition, FileEntry file) throws IOException, InterruptedException {
    partition(partition).out.add(file);
    flushFull();
  }

  synchronized void adopted(String partition, FileEntry file)
      throws IOException, InterruptedException {
    partition(partition).adopted.add(file);
    flushFull();
  }

  /** Makes the plan durable, or returns the one that another process made first. */
  synchronized Planned finish() throws IOException, InterruptedException {
    List<PartitionEntry> inline = drain();
    if (!shards.isEmpty()) {
      putShard(inline);
      inline = List.of();
    }
    ManifestIndex index =
        new ManifestIndex(
            ledger.id(),
            ledger.kind(),
            ledger.summary().partitions(),
            ledger.scope(),
            totals,
            shards);
    byte[] bytes = ManifestJson.writeIndex(index, inline);
    Location at = context.paths().manifest(ledger.id());
    Retry.Attempts attempts = context.retry().begin();
    while (true) {
      try {
        context.store().putIfAbsent(at, ByteBuffer.wrap(bytes));
        return new Planned(index, inline);
      } catch (StoreException e) {
        // Refused: there is a plan, perhaps this very one. Unknown: there may be.
        Optional<Planned> there =
            HeadStore.open(e) ? Planned.of(context, ledger) : Optional.empty();
        if (there.isPresent()) {
          return there.get();
        }
        if (!HeadStore.open(e) || !attempts.pause()) {
          throw e;
        }
      }
    }
  }

  private Collected partition(String partition) {
    collected++;
    return partitions.computeIfAbsent(partition, p -> new Collected());
  }

  private void flushFull() throws IOException, InterruptedException {
    if (collected >= Ledger.BATCH) {
      putShard(drain());
    }
  }

  private List<PartitionEntry> drain() {
    List<PartitionEntry> entries = new ArrayList<>(partitions.size());
    for (var partition : partitions.entrySet()) {
      Collected files = partition.getValue();
      PartitionEntry entry =
          new PartitionEntry(partition.getKey(), files.in, files.out, files.adopted);
      totals = totals.plus(entry);
      entries.add(entry);
    }
    partitions.clear();
    collected = 0;
    return entries;
  }

  private void putShard(List<PartitionEntry> entries) throws IOException, InterruptedException {
    String name = String.format("manifest-%s-%05d.json.gz", nonce, shards.size());
    byte[] bytes = ManifestJson.writeShard(ledger.id(), entries);
    Location at = context.paths().manifestShard(ledger.id(), name);
    context.retry().known(() -> context.store().put(at, ByteBuffer.wrap(bytes)));
    shards.add(name);
  }
}
