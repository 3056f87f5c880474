package io.repave.core.commit;

import io.repave.core.conflict.TokenCheck;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.TokenErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.listing.FileAtFolder;
import io.repave.core.listing.PartitionsInOtherTables;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Labels;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Begins a job before its first task. It finishes or awaits the unfinished commits that the job has
 * to see, then takes the head as the job's base for the conflict check.
 *
 * <p>Requests: 1 GET of the head. With a token 1 GET more; if the token was used, 1 more and those
 * of {@link RepeatedWrite}. Plus those of {@link PartitionsInOtherTables}, those of finishing or
 * awaiting other commits and, for a table without a head, those of {@link FileAtFolder} and {@link
 * NewTable}. Readers see: the old rows. If the process dies here: the job has written nothing yet.
 */
public final class BeginTransaction {
  /** More than the longest key of a record in its table: that of a manifest's shard. */
  private static final int RECORD_NAME_BYTES_MAX = 160;

  private final Supplier<TableContext> contexts;

  /** {@code contexts} supplies a context with a new meter for each commit. */
  public BeginTransaction(Supplier<TableContext> contexts) {
    this.contexts = contexts;
  }

  public WriteTransaction run(CommitRequest request) throws IOException, InterruptedException {
    TableContext context = contexts.get();
    VersionedHead seen = context.heads().read();
    Readers readers = readers(context, seen.head());
    requireRoom(context.paths());
    requireOutsideRecords(context.paths());
    requireToken(context.paths(), request.token());
    Optional<OuterTables> around = Optional.empty();
    if (seen.head().isEmpty()) {
      new FileAtFolder(context).requireNone();
      around = Optional.of(new NewTable(context).requireFree());
    }
    TouchedListing.requireShown(context.paths(), request.scope());
    new PartitionsInOtherTables(context).requireNone(request.scope());
    Optional<TokenCheck.Repeated> earlier =
        new TokenCheck(context).requireFree(request, seen.head());
    if (earlier.isPresent()) {
      new RepeatedWrite(context).requireRows(earlier.get(), request.program(), seen);
    }
    if (readers == Readers.SNAPSHOT) {
      seen = adopted(context, seen);
      // Another job may have created the table for other readers in the meantime.
      readers = readers(context, seen.head());
    } else if (isWithoutCommit(seen) && isFollowed(context, seen)) {
      seen = adoptedForFollowers(context, seen);
    }
    Reserve reserve = Reserve.begin(context, new Recovery(contexts), request, seen);
    // Its tasks would run in vain.
    context.requireNotStopped(request.commit());
    CommitId id = new CommitId(request.commit(), context.clock().wallMillis());
    return new WriteTransaction(context, contexts.get(), id, request, readers, reserve, around);
  }

  /**
   * Adopts the files of a table without records before a task of this job writes a file: otherwise
   * an unpublished file could be adopted as an old one.
   */
  private VersionedHead adopted(TableContext context, VersionedHead begun)
      throws IOException, InterruptedException {
    VersionedHead seen = adoptionFinished(context, begun);
    while (isWithoutCommit(seen)) {
      try {
        new MetadataOnlyCommit(contexts).run(seen, CommitKind.ADOPT, 0);
      } catch (CommitConflictException another) {
        // Another job adopts them; its commit is finished below.
      }
      seen = adoptionFinished(context, context.heads().read());
    }
    return seen;
  }

  /**
   * Adopts the files that are in the folder of a new listing table: followers begin with its first
   * commit, and would not name them.
   */
  private VersionedHead adoptedForFollowers(TableContext context, VersionedHead begun)
      throws IOException, InterruptedException {
    AtomicBoolean found = new AtomicBoolean();
    TouchedListing.ofAll(context).runOnTable((partition, file) -> found.set(true));
    // A job that is aborted leaves no record in an empty folder.
    return found.get() ? adopted(context, begun) : begun;
  }

  private static boolean isFollowed(TableContext context, VersionedHead seen) {
    return seen.head()
        .map(head -> !head.followers().isEmpty())
        .orElse(!context.settings().followers().isEmpty());
  }

  /** Before the first version. A head without one remains of an adoption that was cancelled. */
  private static boolean isWithoutCommit(VersionedHead seen) {
    return seen.version() == 0 && seen.head().map(it -> it.active().isEmpty()).orElse(true);
  }

  /** Another one may have begun meanwhile, because an operator cancelled the one that was seen. */
  private VersionedHead adoptionFinished(TableContext context, VersionedHead from)
      throws IOException, InterruptedException {
    VersionedHead seen = from;
    Optional<ActiveCommit> adoption = adoption(seen);
    while (adoption.isPresent()) {
      new Recovery(contexts).finishOnly(adoption.get());
      seen = context.heads().read();
      adoption = adoption(seen);
    }
    return seen;
  }

  private static Optional<ActiveCommit> adoption(VersionedHead seen) {
    return seen.head().map(Head::active).orElse(List.of()).stream()
        .filter(commit -> commit.kind() == CommitKind.ADOPT)
        .findFirst();
  }

  /** The table's readers. A job that asks for others is refused. */
  private static Readers readers(TableContext context, Optional<Head> head)
      throws InvalidConfigException {
    Readers requested = context.settings().readersOfNewTable();
    if (head.isEmpty()) {
      return requested;
    }
    Readers recorded = head.get().readers();
    if (context.settings().readers().isPresent() && recorded != requested) {
      throw UsageErrors.otherReaders(
          context.paths().root(), Labels.of(recorded), Labels.of(requested));
    }
    return recorded;
  }

  /** Records with longer keys than the ledger's are written after the decision. */
  private static void requireRoom(TablePaths paths) throws InvalidConfigException {
    int bytes = paths.root().key().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > RecordNames.KEY_BYTES_MAX - RECORD_NAME_BYTES_MAX) {
      throw UsageErrors.folderTooLong(bytes, RecordNames.KEY_BYTES_MAX - RECORD_NAME_BYTES_MAX);
    }
  }

  /** An overwrite of this folder would delete the records of the table around it. */
  private static void requireOutsideRecords(TablePaths paths) throws InvalidConfigException {
    if (paths.isAmongRecords()) {
      throw UsageErrors.folderOfRecords(paths.root(), RecordNames.FOLDER);
    }
  }

  /** The token's record is written after publication, so its key must be checked before. */
  private static void requireToken(TablePaths paths, String token) throws InvalidConfigException {
    int bytes = paths.token(token).key().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > RecordNames.KEY_BYTES_MAX) {
      throw TokenErrors.tooLong(bytes, RecordNames.KEY_BYTES_MAX);
    }
  }
}
