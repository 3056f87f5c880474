package io.repave.core.commit;

import io.repave.core.engine.StoredLedger;
import io.repave.core.engine.TableContext;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Tables above the folder in which a table is about to begin, if readers find their files by
 * records: snapshot tables, and tables with followers. If the records of one of them name files in
 * the folder, an overwrite by the new table would delete these files, and what the new table adds
 * would be in no version of the other one. Files that it has replaced count until its vacuum has
 * deleted them: a rollback needs them, and the new table would adopt them.
 *
 * <p>Requests: 1 GET for each folder above that is not named {@code key=value}, in parallel. For
 * such a table that is found, those of {@link LiveFiles}, and 1 GET for each later commit that may
 * have touched the folder. Readers see: no change. If the process dies here: nothing was written.
 */
final class OuterTables {
  private final TableContext context;

  OuterTables(TableContext context) {
    this.context = context;
  }

  /** Throws when a file of such a table is, or may soon be, in the folder or below it. */
  void requireNoFile() throws IOException, InterruptedException {
    List<TablePaths> above = new ArrayList<>();
    TablePaths folder = context.paths();
    while (!folder.root().key().isEmpty()) {
      folder = TablePaths.of(folder.root().parent());
      above.add(folder);
    }
    context.runner().each(above.iterator(), this::requireNoFile);
  }

  private void requireNoFile(TablePaths paths) throws IOException, InterruptedException {
    TableContext outer =
        new TableContext(context.ports(), paths, context.settings(), context.meter());
    Optional<Head> head = head(outer);
    if (head.filter(OuterTables::isReadByRecords).isEmpty()) {
      return;
    }
    Location folder = context.paths().root();
    Footprint wanted = Footprint.of(List.of(paths.partition(folder)));
    if (isWritten(outer, head.get(), wanted) || isKept(outer, head.get(), wanted)) {
      throw UsageErrors.filesOfAnotherTable(folder, paths.root());
    }
  }

  private static boolean isReadByRecords(Head head) {
    return head.readers() == Readers.SNAPSHOT || !head.followers().isEmpty();
  }

  /** What the head says of an unfinished commit's folders may be much wider than they are. */
  private static boolean isWritten(TableContext outer, Head head, Footprint wanted)
      throws IOException, InterruptedException {
    for (ActiveCommit commit : head.active()) {
      if (commit.kind().isOfWholeTable()) {
        return true;
      }
      if (wanted.mayOverlap(commit.touched())
          && StoredLedger.open(outer, commit.id(), commit.kind())
              .index()
              .summary()
              .partitions()
              .stream()
              .anyMatch(wanted::covers)) {
        return true;
      }
    }
    return false;
  }

  /** True when a version whose replaced files are not deleted yet has a file there. */
  private static boolean isKept(TableContext outer, Head head, Footprint wanted)
      throws IOException, InterruptedException {
    LiveFiles files = new LiveFiles(outer);
    long first = firstKept(head);
    if (first > 0) {
      try (LiveFiles.Open oldest = files.covered(head, first, wanted)) {
        if (oldest.next().isPresent()) {
          return true;
        }
      }
    }
    for (LoggedCommit commit : new History(outer).publishedSince(head, first)) {
      if (LiveFiles.mayChange(commit, wanted) && adds(outer, files.manifest(commit), wanted)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Vacuum raises the oldest version first and deletes then, and may have died in between. A
   * listing table deletes what it replaces.
   */
  private static long firstKept(Head head) {
    return head.readers() == Readers.SNAPSHOT
        ? Math.min(head.oldestVersion(), head.vacuumedVersion())
        : head.version();
  }

  private static boolean adds(TableContext outer, CommitManifest manifest, Footprint wanted)
      throws IOException, InterruptedException {
    boolean[] found = {false};
    manifest.each(
        outer,
        entries ->
            found[0] |=
                entries.stream()
                    .filter(entry -> !entry.added().isEmpty())
                    .anyMatch(entry -> wanted.covers(entry.partition())));
    return found[0];
  }

  /** A job that may not read the folder above is no writer of a table there. */
  private static Optional<Head> head(TableContext outer) throws IOException, InterruptedException {
    try {
      return outer.heads().read().head();
    } catch (StoreException e) {
      if (e.kind() != Kind.DENIED) {
        throw e;
      }
      return Optional.empty();
    }
  }
}
