package io.repave.core.commit;

import io.repave.core.engine.AllowedFolders;
import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.RecordErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Writes the lost ledger of a published commit again, so that the commit can be finished. Its files
 * exist, so it needs their names and the folders that the commit replaces. The manifest names both.
 * Without a manifest, the files are found by their names: on a listing table, only files of this
 * commit have its id in their names. The folders of these files are all that the commit replaces,
 * because an append or a dynamic overwrite replaces no folder in which it has no file.
 *
 * <p>Requests: 1 GET and 1 PUT, and those of the shards; without a manifest the LISTs of {@link
 * FilesByName}. Readers see: no change. If the process dies here: another one does it again.
 */
final class LostLedger {
  private final TableContext context;
  private final ActiveCommit commit;

  LostLedger(TableContext context, ActiveCommit commit) {
    this.context = context;
    this.commit = commit;
  }

  /** Opens the ledger of a commit, which {@code head} names as unfinished. */
  static StoredLedger open(TableContext context, ActiveCommit commit, Head head)
      throws IOException, InterruptedException {
    Optional<StoredLedger> stored = StoredLedger.find(context, commit.id(), commit.kind());
    if (stored.isPresent()) {
      return stored.get();
    }
    if (commit.state() != CommitState.CLEANING) {
      throw RecordErrors.missingLedger(context.paths().uploads(commit.id()));
    }
    new LostLedger(context, commit).write(head);
    return StoredLedger.open(context, commit.id(), commit.kind());
  }

  /** True when nothing that is left says which files the commit replaces. */
  static boolean isBeyondRepair(TableContext context, ActiveCommit commit, Head head)
      throws IOException, InterruptedException {
    return context.records().find(context.paths().uploads(commit.id())).isEmpty()
        && context.records().find(context.paths().manifest(commit.id())).isEmpty()
        && !isFoundByName(commit, head);
  }

  /** On a snapshot table, files of lost attempts have the commit's id in their names too. */
  private static boolean isFoundByName(ActiveCommit commit, Head head) {
    return head.readers() == Readers.LISTING
        && (commit.kind() == CommitKind.APPEND || commit.kind() == CommitKind.DYNAMIC);
  }

  private void write(Head head) throws IOException, InterruptedException {
    Optional<CommitManifest> manifest = CommitManifest.read(context, commit.id());
    if (manifest.isPresent()) {
      write(manifest.get());
    } else if (isFoundByName(commit, head)) {
      Ledger found = FilesByName.of(context, commit).find();
      write(index(found.summary(), List.of(), "", ""), found);
    } else {
      Location table = context.paths().root();
      throw head.readers() == Readers.LISTING
          ? RecordErrors.recordsOfPublishedMissing(commit.id().id(), table)
          : RecordErrors.recordsOfSnapshotMissing(commit.id().id(), table, commit.version());
    }
  }

  private void write(CommitManifest manifest) throws IOException, InterruptedException {
    requireTrusted(manifest);
    TaskLedger files = new TaskLedger();
    if (commit.kind() != CommitKind.ROLLBACK) {
      manifest.each(context, entries -> entries.forEach(entry -> add(entry, files)));
    }
    Ledger ledger = TaskLedgers.of(files);
    LedgerSummary found = ledger.summary();
    ManifestIndex index = manifest.index();
    LedgerSummary summary = new LedgerSummary(found.files(), found.bytes(), index.touched());
    write(index(summary, index.scope(), index.application(), index.marker()), ledger);
  }

  private static void add(PartitionEntry entry, TaskLedger files) {
    for (FileEntry file : entry.in()) {
      files.add(Upload.existing(entry.partition(), file.name(), file.bytes(), file.facts()));
    }
  }

  /**
   * Two records have to agree on what a commit may delete. Here these are the manifest and the
   * head, which names the kind of the commit, and folders that cover all that it touches.
   */
  private void requireTrusted(CommitManifest manifest) throws IOException {
    Location at = context.paths().manifest(commit.id());
    if (manifest.index().kind() != commit.kind()) {
      throw RecordErrors.manifestUnfit(at, "it is the manifest of another kind of commit");
    }
    Footprint known = Footprint.of(commit.touched());
    AllowedFolders allowed = new AllowedFolders(context);
    for (Collection<String> folders :
        List.of(manifest.index().touched(), manifest.index().scope())) {
      for (String folder : folders) {
        if (!known.isEmpty() && !known.covers(folder)) {
          throw RecordErrors.manifestUnfit(
              at, "the head does not name its folder '" + folder + "'");
        }
        allowed.require(commit.id(), folder);
      }
    }
  }

  /**
   * Nothing says which version a rollback restores. Its own version has the same files, and cannot
   * be read if the manifest is lost too: then the rollback is not planned again.
   */
  private LedgerIndex index(
      LedgerSummary summary, List<String> scope, String application, String marker) {
    long target = commit.kind() == CommitKind.ROLLBACK ? commit.version() : 0;
    return new LedgerIndex(
        commit.id(), commit.kind(), scope, commit.token(), application, marker, summary, target, 0);
  }

  private void write(LedgerIndex index, Ledger ledger) throws IOException, InterruptedException {
    try {
      new RecordUploads(context).run(index, ledger);
    } catch (CommitFailedException notWritten) {
      // The commit stays published.
      throw RecordErrors.ledgerNotRestored(context.paths().uploads(commit.id()), notWritten);
    }
  }
}
