package io.repave.core.commit;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.SummaryFile;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.FileDifference;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.snapshot.ManifestValidation;
import io.repave.core.snapshot.ManifestWriter;
import java.io.IOException;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Step 3: writes the manifest, which names the new files and exactly the old files that they
 * replace.
 *
 * <p>The listing comes after the reservation: an earlier listing would miss the files of a commit
 * published before the reservation, and its rows would stay. Requests: LISTs (none for an append),
 * 1 PUT (more beyond 10,000 files). Readers see: the old rows. If the process dies here: recovery
 * uses the manifest that exists, or writes one; the first manifest wins.
 */
public final class Plan {
  private final TableContext context;

  public Plan(TableContext context) {
    this.context = context;
  }

  /** Plans a recorded commit, which may have a manifest already. */
  public CommitManifest resume(LedgerIndex index, Ledger ledger, Head head)
      throws IOException, InterruptedException {
    Optional<CommitManifest> existing = CommitManifest.of(context, index);
    CommitManifest manifest = existing.isPresent() ? existing.get() : run(index, ledger, head);
    new ManifestValidation(context, index).requireTrusted(manifest);
    return manifest;
  }

  /** Plans a new commit; {@code head} is the head in which it is reserved. */
  public CommitManifest run(LedgerIndex index, Ledger ledger, Head head)
      throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.PLAN, ledger.summary().files())) {
      try (ManifestWriter manifest = new ManifestWriter(context, index)) {
        return run(index, ledger, head, manifest, span);
      }
    }
  }

  private CommitManifest run(
      LedgerIndex index, Ledger ledger, Head head, ManifestWriter manifest, Meter.Span span)
      throws IOException, InterruptedException {
    ledger.each(
        batch -> {
          for (Upload upload : batch) {
            FileEntry file = new FileEntry(upload.name(), upload.bytes(), upload.facts());
            manifest.in(upload.partition(), file);
          }
          span.done(batch.size());
        });
    if (head.readers() == Readers.LISTING) {
      planListingTable(index, head, manifest);
    } else {
      planSnapshotTable(index, head, manifest);
    }
    return manifest.finish();
  }

  /** Readers that list folders see the files of every writer, so all of them are replaced. */
  private void planListingTable(LedgerIndex index, Head head, ManifestWriter manifest)
      throws IOException, InterruptedException {
    switch (index.kind()) {
      case DYNAMIC, STATIC -> replaceListed(index, manifest);
      case ADOPT -> {
        long before = versionBefore(index, head);
        TouchedListing others = TouchedListing.exceptOf(context, index.id());
        new UnrecordedFiles(context, others).run(head, before, manifest::out, manifest::adopted);
      }
      default -> {
        // An append replaces nothing; a rollback needs files that such a table no longer has.
      }
    }
  }

  /** If the commit replaces a file, it also replaces the summary files in the table's root. */
  private void replaceListed(LedgerIndex index, ManifestWriter manifest)
      throws IOException, InterruptedException {
    Footprint replaced = index.replaced();
    Queue<FileEntry> summaries = new ConcurrentLinkedQueue<>();
    FileSink sink =
        (partition, file) -> {
          if (replaced.covers(partition)) {
            manifest.out(partition, file);
          } else if (partition.isEmpty() && SummaryFile.hasName(file.name())) {
            // A scan for summary files also meets partitions such as "_meta_day=1".
            summaries.add(file);
          }
        };
    TouchedListing.replacedBy(context, index.id(), index.summary().partitions())
        .run(replaced.folders(), sink);
    if (manifest.removesFiles()) {
      for (FileEntry summary : summaries) {
        manifest.out("", summary);
      }
    }
  }

  /** Snapshot readers see the recorded files only; other files in the folders do not matter. */
  private void planSnapshotTable(LedgerIndex index, Head head, ManifestWriter manifest)
      throws IOException, InterruptedException {
    LiveFiles live = new LiveFiles(context);
    long before = versionBefore(index, head);
    switch (index.kind()) {
      case ROLLBACK -> {
        try (LiveFiles.Open target = live.all(head, index.target())) {
          target.each(manifest::in);
        }
        try (LiveFiles.Open now = live.all(head, before);
            LiveFiles.Open target = live.all(head, index.target())) {
          new FileDifference(now, target).run(manifest::out, (partition, file) -> {});
        }
      }
      case ADOPT ->
          // Only the first commit of such a table adopts: later, other files may be unpublished.
          new UnrecordedFiles(context, TouchedListing.exceptOf(context, index.id()))
              .list(manifest::adopted);
      default -> {
        try (LiveFiles.Open old = live.covered(head, before, index.replaced())) {
          old.each(manifest::out);
        }
      }
    }
  }

  /**
   * The version whose files the commit replaces or completes. A published commit whose manifest is
   * lost changes those of the version before its own. No commit that replaces files which overlap
   * it was published since.
   */
  private static long versionBefore(LedgerIndex index, Head head) {
    return head.active(index.id())
        .map(ActiveCommit::version)
        .filter(version -> version > 0)
        .map(version -> version - 1)
        .orElse(head.version());
  }
}
