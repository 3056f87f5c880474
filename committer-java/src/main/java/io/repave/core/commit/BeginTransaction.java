package io.repave.core.commit;

import io.repave.core.conflict.TokenCheck;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What comes before a job's first task: the base for conflicts is taken, from a table on which
 * nothing stands in the job's way.
 *
 * <p>Requests: 1 GET of the head, 1 more for a token and 1 if it was used, and what finishing or
 * awaiting a predecessor costs. Readers see: the old rows. If we die here: nothing of the job is
 * there yet.
 */
public final class BeginTransaction {
  private final Supplier<TableContext> contexts;

  /** {@code contexts}: a context with a meter of its own for each commit. */
  public BeginTransaction(Supplier<TableContext> contexts) {
    this.contexts = contexts;
  }

  public WriteTransaction run(CommitRequest request) throws IOException, InterruptedException {
    TableContext context = contexts.get();
    VersionedHead seen = context.heads().read();
    requireReaders(context, seen.head());
    requireToken(context.paths(), request.token());
    new TokenCheck(context).requireFree(request, seen.head());
    if (context.settings().readers() == Readers.SNAPSHOT) {
      seen = adopted(context, seen);
      // Another first job may have begun the table meanwhile, for other readers.
      requireReaders(context, seen.head());
    }
    Reserve reserve = Reserve.begin(context, new Recovery(contexts), request, seen);
    CommitId id = new CommitId(request.commit(), context.clock().wallMillis());
    return new WriteTransaction(context, id, request, reserve);
  }

  /**
   * Makes sure that what lies in a new table is adopted before any task of ours puts a file beside
   * it: an unpublished file must never be taken for an old one.
   */
  private VersionedHead adopted(TableContext context, VersionedHead begun)
      throws IOException, InterruptedException {
    VersionedHead seen = begun;
    if (seen.head().isEmpty()) {
      try {
        new MetadataOnlyCommit(contexts).run(seen, CommitKind.ADOPT, 0);
      } catch (CommitConflictException another) {
        // Another job adopts them; below, it is helped to the end.
      }
      seen = context.heads().read();
    }
    for (ActiveCommit commit : seen.head().map(Head::active).orElse(List.of())) {
      if (commit.kind() == CommitKind.ADOPT) {
        new Recovery(contexts).finishOnly(commit);
        seen = context.heads().read();
      }
    }
    return seen;
  }

  private static void requireReaders(TableContext context, Optional<Head> head)
      throws InvalidConfigException {
    Readers asked = context.settings().readers();
    if (head.isPresent() && head.get().readers() != asked) {
      String recorded = name(head.get().readers());
      throw new InvalidConfigException(
          "The table "
              + context.paths().root()
              + " is recorded with repave.readers="
              + recorded
              + " and this job asks for "
              + name(asked)
              + ". Its files would be wrong for its readers; set repave.readers="
              + recorded
              + ", or write to another folder.");
    }
  }

  /** A token that cannot name a record would stop its commit when it is published already. */
  private static void requireToken(TablePaths paths, String token) throws InvalidConfigException {
    int bytes = paths.token(token).key().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > RecordNames.KEY_BYTES_MAX) {
      throw new InvalidConfigException(
          "The token of this job (repave.token) is too long: the key of its record would have "
              + bytes
              + " bytes, and the store takes "
              + RecordNames.KEY_BYTES_MAX
              + ". Use a shorter one, such as a hash of it.");
    }
  }

  private static String name(Readers readers) {
    return readers.name().toLowerCase(Locale.ROOT);
  }
}
