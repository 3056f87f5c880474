package io.repave.core.guard;

import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.snapshot.LiveFiles;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Refuses what the locations of a catalog cannot name, while one follows the table. A location is
 * one folder: so all files of a commit are in its own folder of each partition, and an append goes
 * to partitions without files only.
 *
 * <p>Requests: none for other commits; for an append those of the live files of its partitions.
 */
public final class LocationCheck {
  private static final long NONE = -1;

  private final TableContext context;
  private long checkedVersion = NONE;

  public LocationCheck(TableContext context) {
    this.context = context;
  }

  /**
   * Throws when an append writes a partition that has files in this head. Heads of the version that
   * was checked last need no request.
   */
  public void requireFree(LedgerIndex index, Head head) throws IOException, InterruptedException {
    Optional<Follower> catalog = head.catalogs().stream().findFirst();
    if (catalog.isEmpty()
        || index.kind() != CommitKind.APPEND
        || head.version() == checkedVersion) {
      return;
    }
    SortedSet<String> written = index.summary().partitions();
    SortedSet<String> taken = new TreeSet<>();
    Footprint wanted = Footprint.of(written);
    try (LiveFiles.Open live = new LiveFiles(context).covered(head, head.version(), wanted)) {
      live.each(
          (partition, file) -> {
            if (written.contains(partition)) {
              taken.add(partition);
            }
          });
    }
    if (!taken.isEmpty()) {
      throw FollowErrors.appended(
          index.id().id(),
          context.paths().root(),
          catalog.get().kind().label(),
          catalog.get().name(),
          List.copyOf(taken));
    }
    checkedVersion = head.version();
  }

  /**
   * Throws when a file is not in the folder of its commit: in the partition's own folder it would
   * be next to those of older versions.
   */
  public void requireFolder(LedgerIndex index, Ledger ledger)
      throws IOException, InterruptedException {
    String folder = PartFileName.folderOf(index.id().id());
    ledger.each(
        batch -> {
          for (Upload upload : batch) {
            if (!PartFileName.folderIn(upload.name()).equals(folder)) {
              throw FollowErrors.plainFile(index.id().id(), context.paths().root(), upload.name());
            }
          }
        });
  }
}
