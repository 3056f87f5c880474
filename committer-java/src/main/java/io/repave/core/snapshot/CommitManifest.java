package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.ManifestJson;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.RecordCodec;
import io.repave.core.store.Location;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A plan that is durable: its index, and its entries when they stand in the index itself. */
public record CommitManifest(ManifestIndex index, List<PartitionEntry> inline) {

  /** Takes a plan's entries, as many as stand in one record. */
  @FunctionalInterface
  public interface Entries {
    void take(List<PartitionEntry> entries) throws IOException, InterruptedException;
  }

  /** The plan of a commit, if it has one: 1 GET. */
  public static Optional<CommitManifest> read(TableContext context, CommitId id)
      throws IOException, InterruptedException {
    Location at = context.paths().manifest(id);
    Optional<StoredObject> stored =
        context.retry().known(() -> context.store().read(at, RecordCodec.BYTES_MAX));
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    byte[] bytes = stored.get().content();
    ManifestIndex index = ManifestJson.readIndex(bytes, id, at.toString());
    return Optional.of(
        new CommitManifest(index, ManifestJson.readIndexEntries(bytes, id, at.toString())));
  }

  /** The plan that is there for a recorded ledger; refused if it was not made from it. */
  public static Optional<CommitManifest> of(TableContext context, LedgerIndex ledger)
      throws IOException, InterruptedException {
    Optional<CommitManifest> there = read(context, ledger.id());
    if (there.isPresent()) {
      new ManifestValidation(context, ledger).requireFits(there.get());
    }
    return there;
  }

  /** Hands on all entries: no request when they are inline, otherwise 1 GET a shard. */
  public void each(TableContext context, Entries entries) throws IOException, InterruptedException {
    if (index.shards().isEmpty()) {
      entries.take(inline);
      return;
    }
    for (int number = 0; number < index.shards().size(); number++) {
      entries.take(shard(context, number));
    }
  }

  /** The entries of one shard: 1 GET. */
  public List<PartitionEntry> shard(TableContext context, int number)
      throws IOException, InterruptedException {
    Location at = context.paths().manifestShard(index.id(), index.shards().get(number));
    StoredObject stored =
        context
            .retry()
            .known(() -> context.store().read(at, RecordCodec.BYTES_MAX))
            .orElseThrow(
                () ->
                    new InvalidRecordException(
                        "The record " + at + " is missing: restore it from a backup."));
    return ManifestJson.readShard(stored.content(), index.id(), at.toString());
  }
}
