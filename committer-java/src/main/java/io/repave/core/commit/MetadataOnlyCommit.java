package io.repave.core.commit;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.RecordErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.listing.OwnDataFile;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.snapshot.OutsidePartitions;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** A commit of the whole table that writes no data file: an adoption or a rollback. */
public final class MetadataOnlyCommit {
  private final Supplier<TableContext> contexts;
  private final TableContext context;

  /** {@code contexts} supplies a context with a new meter for each commit. */
  public MetadataOnlyCommit(Supplier<TableContext> contexts) {
    this.contexts = contexts;
    this.context = contexts.get();
  }

  /** Makes the records name exactly the files in the table's folders. */
  public CommitResult adopt() throws IOException, InterruptedException {
    return run(adoptable(), CommitKind.ADOPT, 0);
  }

  /** What {@link #adopt} would do, or why it would refuse. Nothing is written. */
  public AdoptionPreview previewAdoption() throws IOException, InterruptedException {
    Optional<Head> head = adoptable().head();
    FolderSizes added = new FolderSizes();
    AtomicLong gone = new AtomicLong();
    UnrecordedFiles files = new UnrecordedFiles(context, TouchedListing.ofAll(context));
    FileSink adding = (partition, file) -> added.add(partition, file.bytes());
    if (head.isPresent()) {
      long version = head.get().version();
      files.run(head.get(), version, (partition, file) -> gone.incrementAndGet(), adding);
    } else {
      files.list(adding);
    }
    return new AdoptionPreview(head.map(Head::version).orElse(0L), added.list(), gone.get());
  }

  private VersionedHead adoptable() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    if (seen.head().filter(head -> head.readers() == Readers.SNAPSHOT).isPresent()) {
      throw UsageErrors.snapshotAlreadyAdopted(context.paths().root());
    }
    if (seen.head().isPresent()) {
      requireAdoptable(seen.head().get());
      return seen;
    }
    new NewTable(context).requireFree();
    new OwnDataFile(context).require();
    return seen;
  }

  /**
   * A decided adoption needs all records of the live files, and a listing of the partitions outside
   * that they name, so both are tried before.
   */
  private void requireAdoptable(Head head) throws IOException, InterruptedException {
    OutsidePartitions outside = new OutsidePartitions(context);
    try {
      readAll(head, head.version(), (partition, file) -> outside.add(partition));
    } catch (InvalidRecordException e) {
      throw RecordErrors.notAdoptable(context.paths().root(), e);
    }
    RecordedOutside.requireListable(context, outside);
  }

  private void readAll(Head head, long version, FileSink sink)
      throws IOException, InterruptedException {
    try (LiveFiles.Open live = new LiveFiles(context).all(head, version)) {
      live.each(sink);
    }
  }

  /** Restores an earlier version: its files become the live files again. */
  public CommitResult rollback(long version) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    requireVersion(seen, version);
    // A decided rollback that cannot be planned would stop every writer.
    readAll(seen.head().orElseThrow(), version, (partition, file) -> {});
    readAll(seen.head().orElseThrow(), seen.version(), (partition, file) -> {});
    return run(baseAfter(seen, version), CommitKind.ROLLBACK, version);
  }

  /**
   * The head after these reads, which may take minutes. The rollback undoes what was published
   * meanwhile, too: with the base from before, any append would be a conflict, and on a busy table
   * no rollback could succeed. Requests: 1 GET of the head, and those of the manifests since.
   */
  private VersionedHead baseAfter(VersionedHead seen, long version)
      throws IOException, InterruptedException {
    VersionedHead later = context.heads().read();
    if (seen.isDropped(later.head()) || seen.isSetBack(later.head())) {
      // The conflict rule compares this base with the present head, and tells why it fails.
      return seen;
    }
    requireVersion(later, version);
    Head head = later.head().orElseThrow();
    LiveFiles live = new LiveFiles(context);
    for (LoggedCommit commit : new History(context).publishedSince(head, seen.version())) {
      live.manifest(commit).each(context, entries -> {});
    }
    return later;
  }

  private void requireVersion(VersionedHead seen, long version) throws InvalidConfigException {
    Head head = seen.existing(context.paths().root());
    if (head.readers() == Readers.LISTING) {
      throw UsageErrors.rollbackOfListingTable(context.paths().root());
    }
    if (!head.keeps(version)) {
      throw UsageErrors.versionNotKept(
          context.paths().root(), head.oldestVersion(), head.version(), version);
    }
  }

  CommitResult run(VersionedHead seen, CommitKind kind, long target)
      throws IOException, InterruptedException {
    String id = context.ports().nonces().get();
    CommitRequest request = new CommitRequest(id, kind, List.of(""), "", "");
    Reserve reserve = Reserve.begin(context, new Recovery(contexts), request, seen);
    CommitId commit = new CommitId(id, context.clock().wallMillis());
    TaskLedgers none = TaskLedgers.none();
    LedgerIndex index = request.index(commit, none.summary(), target);
    return new CommitSequence(context, new Reporter(context), reserve, () -> {}).run(index, none);
  }
}
