package io.repave.core.step;

import io.repave.core.error.RecordRefused;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
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
public record Planned(ManifestIndex index, List<PartitionEntry> inline) {

  /** Takes a plan's entries, as many as stand in one record. */
  @FunctionalInterface
  public interface Entries {
    void take(List<PartitionEntry> entries) throws IOException, InterruptedException;
  }

  /** The plan of a commit, if it has one: 1 GET. */
  public static Optional<Planned> read(StepContext context, CommitId id)
      throws IOException, InterruptedException {
    Location at = context.paths().manifest(id);
    Optional<StoredObject> stored =
        context.retry().known(() -> context.store().read(at, RecordCodec.BYTES_MAX));
    if (stored.isEmpty()) {
      return Optional.empty();
    }
    byte[] bytes = stored.get().content();
    ManifestIndex index = ManifestJson.readIndex(bytes, id, at.toString());
    return Optional.of(new Planned(index, ManifestJson.readIndexEntries(bytes, id, at.toString())));
  }

  /**
   * The plan that is there for a recorded ledger. A plan that takes out what the ledger does not
   * replace was not made from it: who can write one record must not get files deleted elsewhere. An
   * adoption takes out what is gone, wherever it lay, and deletes nothing ({@link Retire}).
   */
  static Optional<Planned> of(StepContext context, LedgerIndex ledger)
      throws IOException, InterruptedException {
    Optional<Planned> there = read(context, ledger.id());
    if (there.isPresent()) {
      there.get().requireFits(context, ledger);
    }
    return there;
  }

  private void requireFits(StepContext context, LedgerIndex ledger)
      throws IOException, InterruptedException {
    Footprint replaced =
        Footprint.replaced(ledger.kind(), ledger.summary().partitions(), ledger.scope());
    if (index.kind() != ledger.kind()) {
      throw unfit(context, ledger);
    }
    if (index.kind() == CommitKind.ADOPT) {
      return;
    }
    each(
        context,
        entries -> {
          for (PartitionEntry entry : entries) {
            if (!entry.out().isEmpty() && !replaced.covers(entry.partition())) {
              throw unfit(context, ledger);
            }
          }
        });
  }

  private static RecordRefused unfit(StepContext context, LedgerIndex ledger) {
    return new RecordRefused(
        "The record "
            + context.paths().manifest(ledger.id())
            + " does not fit the ledger of its commit: it takes out what that does not replace."
            + " Nothing was deleted; restore both from the bucket's older versions.");
  }

  /** Hands on all entries: no request when they are inline, otherwise 1 GET a shard. */
  public void each(StepContext context, Entries entries) throws IOException, InterruptedException {
    if (index.shards().isEmpty()) {
      entries.take(inline);
      return;
    }
    for (String shard : index.shards()) {
      Location at = context.paths().manifestShard(index.id(), shard);
      StoredObject stored =
          context
              .retry()
              .known(() -> context.store().read(at, RecordCodec.BYTES_MAX))
              .orElseThrow(() -> new RecordRefused("The record " + at + " is missing."));
      entries.take(ManifestJson.readShard(stored.content(), index.id(), at.toString()));
    }
  }
}
