package io.repave.core.snapshot;

import io.repave.core.engine.AllowedFolders;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.RecordErrors;
import io.repave.core.ledger.PartFileName;
import io.repave.core.listing.SummaryFile;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.RecordNames;
import java.io.IOException;
import java.util.Set;

/**
 * Checks a manifest that was read from the store before anything is done with it. The manifest
 * decides which files are deleted. A person who can write one record must not be able to name files
 * that the commit does not replace, in the table or in another bucket.
 *
 * <p>Requests: 1 GET per shard of the manifest; none when its index contains the entries.
 */
public final class ManifestValidation {
  private final TableContext context;
  private final LedgerIndex ledger;
  private final Footprint replaced;

  public ManifestValidation(TableContext context, LedgerIndex ledger) {
    this.context = context;
    this.ledger = ledger;
    this.replaced = ledger.replaced();
  }

  /** Refuses a manifest that does not fit the ledger. */
  void requireFits(CommitManifest manifest) throws IOException, InterruptedException {
    if (manifest.index().kind() != ledger.kind()) {
      throw RecordErrors.manifestOfAnotherKind(context.paths().manifest(ledger.id()));
    }
    requireSameFolders(manifest.index());
    manifest.each(
        context,
        entries -> {
          for (PartitionEntry entry : entries) {
            requireFits(entry);
          }
        });
  }

  /** On a snapshot table the index alone says which folders the commit replaces. */
  private void requireSameFolders(ManifestIndex index) throws InvalidRecordException {
    boolean same =
        index.touched().equals(ledger.summary().partitions())
            && Set.copyOf(index.scope()).equals(Set.copyOf(ledger.scope()));
    if (!same) {
      throw unfit("it names other folders");
    }
  }

  /**
   * Refuses a manifest that touches a folder outside the table which neither the ledger, checked
   * before, nor {@code repave.locations.allowed} names. Only a rollback's ledger names no folders.
   */
  public void requireTrusted(CommitManifest manifest) throws IOException, InterruptedException {
    if (ledger.kind() != CommitKind.ROLLBACK) {
      return;
    }
    manifest.each(
        context,
        entries -> {
          for (PartitionEntry entry : entries) {
            requireAllowed(entry.partition());
          }
        });
  }

  private void requireAllowed(String partition) throws InvalidConfigException {
    new AllowedFolders(context).require(ledger.id(), partition);
  }

  private void requireFits(PartitionEntry entry) throws InvalidRecordException {
    // An adoption removes files from the records only; it deletes none (see Retire).
    if (ledger.kind() != CommitKind.ADOPT
        && !entry.out().isEmpty()
        && !replaced.covers(entry.partition())
        && !isRootSummaries(entry)) {
      throw unfit(
          "it removes files of '" + entry.partition() + "', which the commit does not replace");
    }
    boolean outside = RecordNames.isOutside(entry.partition());
    if (!entry.adopted().isEmpty() && (ledger.kind() != CommitKind.ADOPT || outside)) {
      throw unfit("it adopts files of '" + entry.partition() + "'");
    }
    if (ledger.kind() != CommitKind.ROLLBACK) {
      for (FileEntry file : entry.in()) {
        requireOwn(entry.partition(), file);
      }
    }
  }

  /** A commit that replaces files also deletes their summary files in the table's root. */
  private boolean isRootSummaries(PartitionEntry entry) {
    return !replaced.isEmpty()
        && entry.partition().isEmpty()
        && entry.out().stream().allMatch(file -> SummaryFile.hasName(file.name()));
  }

  private void requireOwn(String partition, FileEntry file) throws InvalidRecordException {
    if (!ledger.summary().partitions().contains(partition)
        || !PartFileName.belongsTo(file.name(), ledger.id().id())
        || PartFileName.withoutFolder(file.name()).indexOf('/') >= 0) {
      throw unfit(
          "it adds '" + partition + "/" + file.name() + "', which the commit did not write");
    }
  }

  private InvalidRecordException unfit(String why) {
    return RecordErrors.manifestUnfit(context.paths().manifest(ledger.id()), why);
  }
}
