package io.repave.core.commit;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.LiveFiles;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/** A commit without files of its own, over the whole table: it changes what the records say. */
public final class MetadataOnlyCommit {
  private final Supplier<TableContext> contexts;
  private final TableContext context;

  /** {@code contexts}: a context with a meter of its own for each commit. */
  public MetadataOnlyCommit(Supplier<TableContext> contexts) {
    this.contexts = contexts;
    this.context = contexts.get();
  }

  /** Makes the records name the files that lie in the table. */
  public CommitResult adopt() throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    if (seen.head().filter(head -> head.readers() == Readers.SNAPSHOT).isPresent()) {
      throw new InvalidConfigException(
          "The table "
              + context.paths().root()
              + " is read by snapshots and has adopted its files when it was first written;"
              + " what lies there beside them is not published.");
    }
    if (seen.head().isPresent()) {
      requireReadable(seen.head().get());
    }
    return run(seen, CommitKind.ADOPT, 0);
  }

  /** Once it is decided an adoption has to be planned, which takes all records of live files. */
  private void requireReadable(Head head) throws IOException, InterruptedException {
    try (LiveFiles.Open live = new LiveFiles(context).all(head, head.version())) {
      live.each((partition, file) -> {});
    } catch (InvalidRecordException e) {
      throw new InvalidRecordException(
          e.getMessage()
              + " The table cannot be adopted by these records; nothing was changed. To begin them"
              + " anew from the files that lie in the table, run: repave repair "
              + context.paths().root(),
          e);
    }
  }

  /** Makes the files of an earlier version the live ones again. */
  public CommitResult rollback(long version) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    requireVersion(seen, version);
    return run(seen, CommitKind.ROLLBACK, version);
  }

  private void requireVersion(VersionedHead seen, long version) throws InvalidConfigException {
    if (seen.head().isEmpty()) {
      throw new InvalidConfigException(
          "Nothing was ever committed to "
              + context.paths().root()
              + " by Repave: it has no versions.");
    }
    Head head = seen.head().get();
    if (head.readers() == Readers.LISTING) {
      throw new InvalidConfigException(
          "The table "
              + context.paths().root()
              + " is read by listing: the files that a commit replaces are deleted with it, so no"
              + " earlier version can be brought back. Tables with repave.readers=snapshot keep"
              + " them until vacuum.");
    }
    if (!head.keeps(version)) {
      throw new InvalidConfigException(
          "The table " + context.paths().root() + " " + head.without(version));
    }
  }

  CommitResult run(VersionedHead seen, CommitKind kind, long target)
      throws IOException, InterruptedException {
    String id = context.ports().nonces().get();
    CommitRequest request = new CommitRequest(id, kind, List.of(""), "", "");
    Reserve reserve = Reserve.begin(context, new Recovery(contexts), request, seen);
    CommitId commit = new CommitId(id, context.clock().wallMillis());
    TaskLedgers none = new TaskLedgers(List.of());
    LedgerSummary empty = none.summary();
    LedgerIndex index =
        new LedgerIndex(commit, kind, request.scope(), "", "", "", empty, target, 0);
    return new CommitSequence(context, new Reporter(context), reserve).run(index, none);
  }
}
