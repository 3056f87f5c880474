package io.repave.core.commit;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.Meter;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.listing.InnerTables;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.FileDifference;
import io.repave.core.snapshot.ListedFiles;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.snapshot.ManifestValidation;
import io.repave.core.snapshot.ManifestWriter;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Step 3: writes down which files come in and exactly which keys go out.
 *
 * <p>The listing comes after the reservation: before it, a commit that was published meanwhile
 * would be missed, and its rows would stay beside ours. Requests: LISTs (none for an append), 1 PUT
 * (more beyond 10,000 files). Readers see: the old rows. If we die here: recovery plans again, or
 * takes the plan that is there; the first one put wins.
 */
public final class Plan {
  private final TableContext context;

  public Plan(TableContext context) {
    this.context = context;
  }

  /** Plans a recorded commit, which may have a plan already. */
  public CommitManifest resume(LedgerIndex index, Ledger ledger, Head head)
      throws IOException, InterruptedException {
    Optional<CommitManifest> there = CommitManifest.of(context, index);
    CommitManifest plan = there.isPresent() ? there.get() : run(index, ledger, head);
    new ManifestValidation(context, index).requireTrusted(plan);
    return plan;
  }

  /** Plans a commit; {@code head} is the head in which it is reserved. */
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
            manifest.in(upload.partition(), new FileEntry(upload.name(), upload.bytes()));
          }
          span.done(batch.size());
        });
    if (head.readers() == Readers.LISTING) {
      takeWhatLies(index, head, manifest);
    } else {
      takeWhatIsRecorded(index, head, manifest);
    }
    return manifest.finish();
  }

  /** Plain readers see whatever lies in a folder, whoever put it there: all of it goes out. */
  private void takeWhatLies(LedgerIndex index, Head head, ManifestWriter manifest)
      throws IOException, InterruptedException {
    switch (index.kind()) {
      case DYNAMIC, STATIC -> takeWhatIsReplaced(index, manifest);
      case ADOPT -> followWhatLies(TouchedListing.without(context, index.id()), head, manifest);
      default -> {
        // An append takes nothing out; a rollback needs files that such a table no longer has.
      }
    }
  }

  /** The summary files of the table's root go out too if a file goes that they describe. */
  private void takeWhatIsReplaced(LedgerIndex index, ManifestWriter manifest)
      throws IOException, InterruptedException {
    Footprint replaced =
        Footprint.replaced(index.kind(), index.summary().partitions(), index.scope());
    Queue<FileEntry> summaries = new ConcurrentLinkedQueue<>();
    FileSink sink =
        (partition, file) -> {
          if (replaced.covers(partition)) {
            manifest.out(partition, file);
          } else {
            summaries.add(file);
          }
        };
    TouchedListing.replacedBy(context, index.id()).run(replaced.folders(), sink);
    if (manifest.takesOut()) {
      for (FileEntry summary : summaries) {
        manifest.out("", summary);
      }
    }
  }

  /**
   * Adds to the records what lies in the table, and takes out of them what is gone: a catalog's
   * {@code TRUNCATE} and {@code DROP PARTITION} delete files without a commit. A file that is gone
   * never comes back, since no name is used twice, so the moment of the listing does not matter.
   */
  private void followWhatLies(TouchedListing listing, Head head, ManifestWriter manifest)
      throws IOException, InterruptedException {
    LiveFiles live = new LiveFiles(context);
    try (ListedFiles lying = new ListedFiles(context);
        LiveFiles.Open recorded = live.all(head, head.version())) {
      FileSink found = ofThisTable(lying::add);
      listing.run(List.of(""), found);
      FileDifference difference = new FileDifference(recorded, lying.files());
      difference.run(
          (partition, file) -> {
            if (!RecordNames.elsewhere(partition)) {
              manifest.out(partition, file);
            }
          },
          manifest::adopted);
    }
  }

  /** Snapshot readers see what is recorded; what lies beside it is nobody's. */
  private void takeWhatIsRecorded(LedgerIndex index, Head head, ManifestWriter manifest)
      throws IOException, InterruptedException {
    LiveFiles live = new LiveFiles(context);
    switch (index.kind()) {
      case ROLLBACK -> {
        try (LiveFiles.Open target = live.all(head, index.target())) {
          target.each(manifest::in);
        }
        try (LiveFiles.Open now = live.all(head, head.version());
            LiveFiles.Open target = live.all(head, index.target())) {
          new FileDifference(now, target).run(manifest::out, (partition, file) -> {});
        }
      }
      case ADOPT ->
          // Only the first commit of such a table adopts: later, what lies there may be
          // unpublished.
          TouchedListing.without(context, index.id())
              .run(List.of(""), ofThisTable(manifest::adopted));
      default -> {
        Footprint replaced =
            Footprint.replaced(index.kind(), index.summary().partitions(), index.scope());
        try (LiveFiles.Open old = live.covered(head, head.version(), replaced)) {
          old.each(manifest::out);
        }
      }
    }
  }

  /** Leaves out the files of other tables in this one's folder: those tables delete them. */
  private FileSink ofThisTable(FileSink sink) {
    InnerTables inner = new InnerTables(context);
    return (partition, file) -> {
      if (!inner.hold(context.paths().file(partition, file.name()))) {
        sink.file(partition, file);
      }
    };
  }
}
