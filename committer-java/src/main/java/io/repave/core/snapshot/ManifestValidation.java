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
import io.repave.core.store.Location;
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
    manifest.eachRecord(
        context,
        (record, entries) -> {
          for (PartitionEntry entry : entries) {
            requireFits(record, entry);
          }
        });
  }

  /**
   * Refuses an entry that removes files of a folder which the commit does not replace. A shard is
   * read again when the files are deleted, and may be another one by then.
   */
  public static void requireReplaced(Location record, Footprint replaced, PartitionEntry entry)
      throws InvalidRecordException {
    if (!entry.out().isEmpty()
        && !replaced.covers(entry.partition())
        && !isRootSummaries(replaced, entry)) {
      throw RecordErrors.manifestUnfit(
          record,
          "it removes files of '" + entry.partition() + "', which the commit does not replace");
    }
  }

  /** On a snapshot table the index alone says which folders the commit replaces. */
  private void requireSameFolders(ManifestIndex index) throws InvalidRecordException {
    boolean same =
        index.touched().equals(ledger.summary().partitions())
            && Set.copyOf(index.scope()).equals(Set.copyOf(ledger.scope()));
    if (!same) {
      throw RecordErrors.manifestUnfit(
          context.paths().manifest(ledger.id()), "it names other folders");
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

  private void requireFits(Location record, PartitionEntry entry) throws InvalidRecordException {
    // An adoption removes files from the records only; it deletes none (see Retire).
    if (ledger.kind() != CommitKind.ADOPT) {
      requireReplaced(record, replaced, entry);
    }
    boolean outside = RecordNames.isOutside(entry.partition());
    if (!entry.adopted().isEmpty() && (ledger.kind() != CommitKind.ADOPT || outside)) {
      throw RecordErrors.manifestUnfit(record, "it adopts files of '" + entry.partition() + "'");
    }
    if (ledger.kind() != CommitKind.ROLLBACK) {
      for (FileEntry file : entry.in()) {
        requireOwn(record, entry.partition(), file);
      }
    }
  }

  /** A commit that replaces files also deletes their summary files in the table's root. */
  private static boolean isRootSummaries(Footprint replaced, PartitionEntry entry) {
    return !replaced.isEmpty()
        && entry.partition().isEmpty()
        && entry.out().stream().allMatch(file -> SummaryFile.hasName(file.name()));
  }

  private void requireOwn(Location record, String partition, FileEntry file)
      throws InvalidRecordException {
    if (!ledger.summary().partitions().contains(partition)
        || !PartFileName.belongsTo(file.name(), ledger.id().id())
        || PartFileName.withoutFolder(file.name()).indexOf('/') >= 0) {
      throw RecordErrors.manifestUnfit(
          record,
          "it adds '" + partition + "/" + file.name() + "', which the commit did not write");
    }
  }
}
