package io.repave.core.commit;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.OwnRead;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitErrors;
import io.repave.core.error.CommitFailedException;
import io.repave.core.guard.GuardCheck;
import io.repave.core.guard.LocationCheck;
import io.repave.core.guard.OwnReadCheck;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.PartFileName;
import io.repave.core.listing.OpenUploads;
import io.repave.core.listing.PartitionsInOtherTables;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** One job, from before its first task until it is committed or aborted. */
public final class WriteTransaction {
  private final TableContext context;
  private final TableContext besides;
  private final CommitId id;
  private final CommitRequest request;
  private final Readers readers;
  private final Reserve reserve;
  private final Optional<OuterTables> around;
  private Collection<String> touched = List.of();

  /** The report counts the requests of {@code context}, and not those of {@code besides}. */
  WriteTransaction(
      TableContext context,
      TableContext besides,
      CommitId id,
      CommitRequest request,
      Readers readers,
      Reserve reserve,
      Optional<OuterTables> around) {
    this.context = context;
    this.besides = besides;
    this.id = id;
    this.request = request;
    this.readers = readers;
    this.reserve = reserve;
    this.around = around;
  }

  public CommitId id() {
    return id;
  }

  /** The readers of the table when the job began; they say how its tasks may write. */
  public Readers readers() {
    return readers;
  }

  /**
   * The folder that this job's files go to, in each partition: "" for the partition's own. While a
   * catalog follows the table, each commit has a folder of its own.
   */
  public String folder() {
    return reserve.begun().isInCatalog() ? PartFileName.folderOf(id.id()) : "";
  }

  /** The head when the job began; a first one for a table without records. */
  public Head begun() {
    return reserve.begun();
  }

  /** The catalogs that follow the table, as the job found them. */
  public List<Follower> catalogs() {
    return reserve.begun().catalogs();
  }

  /**
   * Commits the files of the ledger; other files of this job are not published. Throws {@code
   * CommitFailedException} or {@code CommitConflictException} when nothing was or will be
   * published, {@code CommitStateUnknownException} when the commit is or may be decided.
   */
  public CommitResult commit(Ledger ledger) throws IOException, InterruptedException {
    return commit(ledger, () -> {});
  }

  /**
   * Does the same. {@code atPublication} runs once the version is published, before old files are
   * deleted; it must not block or throw. It does not run when an earlier commit did the same work.
   */
  public CommitResult commit(Ledger ledger, Runnable atPublication)
      throws IOException, InterruptedException {
    touched = ledger.summary().partitions();
    requireInScope();
    requireOwnFolders();
    LedgerIndex index = request.index(id, ledger.summary(), 0);
    return new CommitSequence(context, new Reporter(context), reserve, atPublication)
        .run(index, ledger, this::guard);
  }

  /** What a static overwrite writes elsewhere would stay beside the old rows of that folder. */
  private void requireInScope() throws CommitFailedException {
    if (request.kind() != CommitKind.STATIC) {
      return;
    }
    Footprint replaced = Footprint.of(request.scope());
    for (String partition : touched) {
      if (!replaced.covers(partition)) {
        throw CommitErrors.outsideOfScope(id.id(), partition, request.scope());
      }
    }
  }

  /** The tasks decide where they write, and another table may exist since the job began. */
  private void requireOwnFolders() throws IOException, InterruptedException {
    List<String> folders = new ArrayList<>(touched);
    folders.addAll(request.scope());
    for (String folder : folders) {
      RecordNames.checkPartition(folder, "of a job's partitions");
    }
    if (request.kind().replaces()) {
      TouchedListing.requireShown(context.paths(), folders);
    }
    new PartitionsInOtherTables(context).requireNone(folders);
    if (around.isPresent()) {
      around.get().requireNoFile();
    }
  }

  private Optional<Reserve.Guard> guard(LedgerIndex index, Ledger ledger) {
    boolean limits = request.guards().limitsFolders() || request.guards().limitsShrinking();
    boolean inCatalog = reserve.begun().isInCatalog();
    List<OwnRead> reads = readsToKeep(index);
    if (!limits && !inCatalog && reads.isEmpty()) {
      return Optional.empty();
    }
    GuardCheck guards = new GuardCheck(context, request.guards());
    LocationCheck locations = new LocationCheck(context);
    OwnReadCheck own = new OwnReadCheck(context, reads);
    return Optional.of(
        head -> {
          if (inCatalog) {
            locations.requireFolder(index, ledger);
          }
          own.run(index, head);
          if (limits) {
            guards.run(index, ledger, head);
          }
        });
  }

  private List<OwnRead> readsToKeep(LedgerIndex index) {
    boolean lastWriter = context.settings().conflicts() == ConflictPolicy.LAST_WRITER;
    return lastWriter || !index.kind().replaces() ? List.of() : request.guards().reads();
  }

  /**
   * Aborts the job, unless its commit is decided. {@code known} holds the uploads that the driver
   * knows. Returns false when the commit is or may be decided; then nothing was changed.
   */
  public boolean abort(Ledger known) throws IOException, InterruptedException {
    AbortTransaction abort = new AbortTransaction(context, reserve);
    boolean aborted = abort.run(id, known);
    if (aborted) {
      abort.deleteRecords(id);
    }
    return aborted;
  }

  /**
   * Aborts the open uploads of task attempts that were not committed. Call it once the version is
   * published, or the job turned out to repeat another one: then no upload of this job is needed.
   * Returns how many.
   */
  public int abortLostUploads() throws IOException, InterruptedException {
    return new OpenUploads(besides).abortAll(id, touched);
  }
}
