package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileEntry;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.ManifestJson;
import io.repave.core.record.PartitionEntry;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The recorded manifest of a commit: its index, and its entries when the index contains them. */
public record CommitManifest(ManifestIndex index, List<PartitionEntry> inline) {

  /** Receives the entries of a manifest, one record at a time. */
  @FunctionalInterface
  public interface Entries {
    void take(List<PartitionEntry> entries) throws IOException, InterruptedException;
  }

  /** The same, with the record that has the entries. */
  @FunctionalInterface
  public interface EntriesOfRecord {
    void take(Location record, List<PartitionEntry> entries)
        throws IOException, InterruptedException;
  }

  /** Reads the manifest of a commit; empty when it has none. Requests: 1 GET. */
  public static Optional<CommitManifest> read(TableContext context, CommitId id)
      throws IOException, InterruptedException {
    Location at = context.paths().manifest(id);
    Optional<byte[]> stored = context.records().read(at);
    return stored.isEmpty() ? Optional.empty() : Optional.of(parse(stored.get(), id, at));
  }

  static CommitManifest parse(byte[] bytes, CommitId id, Location at)
      throws InvalidRecordException {
    ManifestIndex index = ManifestJson.readIndex(bytes, id, at.toString());
    return new CommitManifest(index, ManifestJson.readIndexEntries(bytes, id, at.toString()));
  }

  /** The existing manifest for a recorded ledger; refused if it does not fit the ledger. */
  public static Optional<CommitManifest> of(TableContext context, LedgerIndex ledger)
      throws IOException, InterruptedException {
    Optional<CommitManifest> existing = read(context, ledger.id());
    if (existing.isPresent()) {
      new ManifestValidation(context, ledger).requireFits(existing.get());
    }
    return existing;
  }

  /** The length of the texts of schemas that are in memory with this record. */
  long schemaChars() {
    Set<Schema> schemas = Collections.newSetFromMap(new IdentityHashMap<>());
    for (PartitionEntry entry : inline) {
      entry.added().forEach(file -> file.facts().schema().ifPresent(schemas::add));
      entry.out().forEach(file -> file.facts().schema().ifPresent(schemas::add));
    }
    return schemas.stream().mapToLong(schema -> schema.json().length()).sum();
  }

  /** The number of columns of which bounds are in memory with this record. */
  long columns() {
    long columns = 0;
    for (PartitionEntry entry : inline) {
      for (List<FileEntry> files : List.of(entry.added(), entry.out())) {
        columns += files.stream().mapToLong(file -> file.facts().columns().size()).sum();
      }
    }
    return columns;
  }

  /** Passes on all entries. Requests: none when they are inline, otherwise 1 GET per shard. */
  public void each(TableContext context, Entries entries) throws IOException, InterruptedException {
    eachRecord(context, (record, read) -> entries.take(read));
  }

  /** The same, with the record that has them. */
  public void eachRecord(TableContext context, EntriesOfRecord entries)
      throws IOException, InterruptedException {
    if (index.shards().isEmpty()) {
      entries.take(context.paths().manifest(index.id()), inline);
      return;
    }
    for (int number = 0; number < index.shards().size(); number++) {
      entries.take(shardAt(context, number), shard(context, number));
    }
  }

  /** The entries of one shard. Requests: 1 GET. */
  public List<PartitionEntry> shard(TableContext context, int number)
      throws IOException, InterruptedException {
    Location at = shardAt(context, number);
    return ManifestJson.readShard(context.records().readExisting(at), index.id(), at.toString());
  }

  private Location shardAt(TableContext context, int number) {
    return context.paths().manifestShard(index.id(), index.shards().get(number));
  }
}
