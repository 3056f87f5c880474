package io.repave.core.commit;

import io.repave.core.conflict.TokenCheck;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.error.RecordErrors;
import io.repave.core.error.TokenErrors;
import io.repave.core.ledger.PartFileName;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.FileStream;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.LiveFiles;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A write whose token was published already, so that it changes nothing. Its rows have to be there
 * then, except those that later commits replaced. A program that drops a partition and writes it
 * again would lose the rows when it is retried: the retry drops them, and its write is a
 * repetition.
 *
 * <p>Requests: LISTs of the folders of the earlier commit, 1 GET for its manifest and for that of
 * each later overwrite or adoption that may have changed them, and those of {@link
 * RepeatedRemoval}. If nothing is left of the earlier commit, 1 GET for each checkpoint back to it.
 * Readers see: no change. If the process dies here: nothing was written.
 */
final class RepeatedWrite {
  /** At most this many file names are held in memory. Larger commits are not checked. */
  static final int FILES_MAX = 100_000;

  /** How many versions back the history is read, so that an old token does not cost minutes. */
  private static final int VERSIONS_MAX = 500;

  /** Others may publish between a look at the head and the end of a listing. */
  private static final int LOOKS_MAX = 3;

  private final TableContext context;

  RepeatedWrite(TableContext context) {
    this.context = context;
  }

  /**
   * What the table has of the earlier write: files that are gone, and partitions without any;
   * {@code none} when no partition has any.
   */
  private record Rows(long missing, Set<String> replaced, boolean none) {
    private static final Rows NOT_KNOWN = new Rows(0, Set.of(), false);
  }

  /**
   * Refuses the write when files of the earlier one are gone although the records name them, when a
   * commit removed them that a repetition makes again, or when the earlier one is in no version.
   */
  void requireRows(TokenCheck.Repeated earlier, String program, VersionedHead seen)
      throws IOException, InterruptedException {
    if (earlier.ledger().isEmpty()) {
      return;
    }
    LedgerIndex ledger = earlier.ledger().get();
    VersionedHead now = seen;
    for (int look = 0; look < LOOKS_MAX && now.head().isPresent(); look++) {
      Rows rows = rows(earlier.commit(), ledger, now.head().get());
      if (rows.missing() == 0) {
        if (rows.none()) {
          requireVersion(earlier.commit(), now.head().get());
        }
        RepeatedRemoval removals = new RepeatedRemoval(context, program, ledger.application());
        requireNotRemoved(earlier.commit(), removals, rows.replaced(), now.head().get());
        return;
      }
      VersionedHead after = context.heads().read();
      if (after.version() == now.version()) {
        throw TokenErrors.rowsDeleted(
            earlier.commit().token(), ledger.id().folder(), context.paths().root(), rows.missing());
      }
      now = after;
    }
  }

  /** Later commits replaced all of it, or the head was put back to a version before it. */
  private void requireVersion(LoggedCommit earlier, Head head)
      throws IOException, InterruptedException {
    boolean isNear = head.version() - earlier.version() <= VERSIONS_MAX;
    if (isNear && new History(context).contradicts(head, earlier)) {
      throw RecordErrors.headOfAnotherCommit(
          context.paths().head(), earlier.token(), earlier.id().folder(), earlier.version());
    }
  }

  private void requireNotRemoved(
      LoggedCommit earlier, RepeatedRemoval removals, Set<String> partitions, Head head)
      throws IOException, InterruptedException {
    Optional<LoggedCommit> removal = removals.find(head, earlier.version(), partitions);
    if (removal.isPresent()) {
      throw TokenErrors.rowsRemoved(
          earlier.token(),
          earlier.id().folder(),
          context.paths().root(),
          removal.get().id().folder(),
          removal.get().version());
    }
  }

  private Rows rows(LoggedCommit commit, LedgerIndex ledger, Head head)
      throws IOException, InterruptedException {
    try {
      List<String> folders = List.copyOf(ledger.summary().partitions());
      if (ledger.summary().files() > FILES_MAX || folders.isEmpty()) {
        return Rows.NOT_KNOWN;
      }
      return rows(commit, folders, head);
    } catch (InvalidRecordException unknown) {
      // Refuse only what the records prove.
      return Rows.NOT_KNOWN;
    }
  }

  private Rows rows(LoggedCommit commit, List<String> folders, Head head)
      throws IOException, InterruptedException {
    Set<String> found = new HashSet<>();
    TouchedListing.of(context, commit.id())
        .run(
            folders,
            (partition, file) -> {
              synchronized (found) {
                found.add(partition + "/" + file.name());
              }
            });
    long missing = 0;
    Set<String> replaced = new HashSet<>(folders);
    Footprint wanted = Footprint.of(folders);
    try (LiveFiles.Open live = new LiveFiles(context).leftOf(commit, head, wanted)) {
      Optional<FileStream.Placed> next = live.next();
      while (next.isPresent()) {
        String name = next.get().file().name();
        if (PartFileName.belongsTo(name, commit.id().id())) {
          replaced.remove(next.get().partition());
          missing += found.contains(next.get().partition() + "/" + name) ? 0 : 1;
        }
        next = live.next();
      }
    }
    return new Rows(missing, replaced, replaced.size() == folders.size());
  }
}
