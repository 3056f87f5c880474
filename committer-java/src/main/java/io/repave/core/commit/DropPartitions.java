package io.repave.core.commit;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.FileSink;
import io.repave.core.engine.PartitionBound;
import io.repave.core.engine.TableContext;
import io.repave.core.error.DropErrors;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.listing.InnerTables;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Removes whole partitions. The commit is a static overwrite of their folders that writes no file,
 * so everything that holds for an overwrite holds for it.
 */
public final class DropPartitions {
  private final Supplier<TableContext> contexts;
  private final TableContext context;

  /** {@code contexts} supplies a context with a new meter for each commit. */
  public DropPartitions(Supplier<TableContext> contexts) {
    this.contexts = contexts;
    this.context = contexts.get();
  }

  /**
   * What the folders hold. Those inside another one are left out. Requests: 1 GET; on a listing
   * table the LISTs of the folders; on a snapshot table the GETs of the records that name their
   * files.
   */
  public List<FolderSize> named(Collection<String> folders)
      throws IOException, InterruptedException {
    FolderSizes sizes = new FolderSizes();
    Footprint wanted = Footprint.of(folders);
    for (String folder : folders) {
      if (!wanted.covers(above(folder))) {
        sizes.begin(folder);
      }
    }
    Set<Location> inner =
        each(
            wanted,
            (partition, file) -> {
              String folder = partition;
              while (!folder.isEmpty() && !sizes.contain(folder)) {
                folder = above(folder);
              }
              if (!folder.isEmpty()) {
                sizes.add(folder, file.bytes());
              }
            });
    return withoutTables(sizes.list(), inner);
  }

  private static String above(String folder) {
    return folder.substring(0, Math.max(0, folder.lastIndexOf('/')));
  }

  /**
   * The folders whose value of a partition column is before another; none in a table without files.
   * Requests: those of {@link #named} for the whole table.
   */
  public List<FolderSize> before(PartitionBound bound) throws IOException, InterruptedException {
    FolderSizes sizes = new FolderSizes();
    AtomicBoolean hasColumn = new AtomicBoolean();
    AtomicReference<String> other = new AtomicReference<>();
    Set<Location> inner =
        each(
            Footprint.of(List.of("")),
            (partition, file) -> {
              Optional<PartitionBound.Found> found = bound.find(partition);
              if (found.isEmpty()) {
                other.set(partition);
                return;
              }
              hasColumn.set(true);
              if (bound.isAfter(found.get())) {
                sizes.add(found.get().folder(), file.bytes());
              }
            });
    if (!hasColumn.get() && other.get() != null) {
      throw DropErrors.noColumn(context.paths().root(), bound.column(), other.get());
    }
    return withoutTables(sizes.list(), inner);
  }

  /**
   * Refuses folders in which another table begins: the sizes do not count its files, and an
   * overwrite would remove them.
   */
  private List<FolderSize> withoutTables(List<FolderSize> sizes, Set<Location> inner)
      throws InvalidConfigException {
    Location root = context.paths().root();
    for (FolderSize each : sizes) {
      for (Location table : inner) {
        if (root.relative(table).startsWith(each.folder() + "/")) {
          throw DropErrors.tableInside(each.folder(), table);
        }
      }
    }
    return sizes;
  }

  /**
   * Removes folders as one version. Requests: those of a static overwrite without files. Readers
   * see the rows until the version is published; readers that list, until the files are deleted. If
   * the process dies here: as for any commit, recovery finishes what is decided.
   *
   * @param batch the execution of a stream's batch that drops them, as records name it; or ""
   */
  public CommitResult run(List<String> folders, String batch)
      throws IOException, InterruptedException {
    head();
    String id = context.ports().nonces().get();
    CommitRequest request = new CommitRequest(id, CommitKind.STATIC, folders, "", batch, "");
    return new BeginTransaction(contexts).run(request).commit(TaskLedgers.none());
  }

  private Head head() throws IOException, InterruptedException {
    Optional<Head> head = context.heads().read().head();
    return head.orElseThrow(() -> DropErrors.noTable(context.paths().root()));
  }

  /** Passes on the table's files in some folders, and returns the tables that are in there too. */
  private Set<Location> each(Footprint wanted, FileSink sink)
      throws IOException, InterruptedException {
    Head head = head();
    if (head.readers() == Readers.LISTING) {
      InnerTables inner = new InnerTables(context);
      TouchedListing.withUnfinishedCopies(context).run(wanted.folders(), inner.without(sink));
      return inner.found();
    }
    try (LiveFiles.Open live = new LiveFiles(context).covered(head, head.version(), wanted)) {
      live.each(sink);
    }
    return Set.of();
  }
}
