package io.repave.core.listing;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.TablePaths;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The tables nested in this table's folder. Their files belong to them: another head names them,
 * and a swap of this table's head does not keep their commits from being reserved.
 *
 * <p>Requests: 1 HEAD per folder above the given files that is neither a partition nor the folder
 * of a commit, so none for a table that has partitions only.
 */
public final class InnerTables {
  /** Says whether a folder is that of a table. */
  @FunctionalInterface
  private interface Proof {
    boolean isTable(Location folder) throws IOException, InterruptedException;
  }

  private final TableContext context;
  private final Proof proof;
  private final Map<Location, Boolean> known = new ConcurrentHashMap<>();

  /** The tables that have a head. */
  public InnerTables(TableContext context) {
    this(context, folder -> context.records().find(new TablePaths(folder).head()).isPresent());
  }

  private InnerTables(TableContext context, Proof proof) {
    this.context = context;
    this.proof = proof;
  }

  /**
   * The same with the tables that have any record, for a process that deletes what no record of
   * this table names: a head can be missing until somebody restores it. Requests: a LIST in place
   * of each HEAD.
   */
  public static InnerTables withAnyRecord(TableContext context) {
    return new InnerTables(
        context,
        folder ->
            new OrderedListing(context, new TablePaths(folder).records())
                .firstAfter("")
                .isPresent());
  }

  /** True when a nested table contains this place. */
  public boolean contain(Location at) throws IOException, InterruptedException {
    return containing(at).isPresent();
  }

  /** The outermost nested table that contains this place. */
  Optional<Location> containing(Location at) throws IOException, InterruptedException {
    return containing(context.paths().root(), at);
  }

  /** The outermost table inside a folder that contains this place. */
  private Optional<Location> containing(Location around, Location at)
      throws IOException, InterruptedException {
    String path = around.relative(at);
    for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      Location folder = around.resolve(path.substring(0, slash));
      if (!PartFileName.isFolder(folder.name())
          && TablePaths.of(folder).root().equals(folder)
          && isTable(folder)) {
        return Optional.of(folder);
      }
    }
    return Optional.empty();
  }

  /** The nested tables that contain a file which was asked for. */
  public Set<Location> found() {
    return known.entrySet().stream()
        .filter(Map.Entry::getValue)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Passes on the files that are not in a nested table. */
  public FileSink without(FileSink sink) {
    return (partition, file) -> {
      if (!contain(context.paths().file(partition, file.name()))) {
        sink.file(partition, file);
      }
    };
  }

  /**
   * The same outside the table: passes on the files that are not in a table inside the nearest of
   * some folders.
   */
  public FileSink without(Set<Location> folders, FileSink sink) {
    return (partition, file) -> {
      Location at = context.paths().file(partition, file.name());
      Location around = at.parent();
      while (!folders.contains(around) && !around.key().isEmpty()) {
        around = around.parent();
      }
      if (containing(around, at).isEmpty()) {
        sink.file(partition, file);
      }
    };
  }

  /** The first table in a folder. Requests: 1 LIST for each page of keys up to its head. */
  public Optional<Location> first(Location folder) throws IOException, InterruptedException {
    OrderedListing listing = new OrderedListing(context, folder);
    String last = "";
    ListPage page;
    do {
      page = listing.after(last);
      for (ListedObject object : page.objects()) {
        Location at = new Location(folder.bucket(), object.key());
        Optional<Location> table = TablePaths.ofHead(at).map(TablePaths::root);
        if (table.isPresent()) {
          return table;
        }
      }
      last = page.last();
    } while (page.more());
    return Optional.empty();
  }

  private boolean isTable(Location folder) throws IOException, InterruptedException {
    Boolean before = known.get(folder);
    if (before == null) {
      before = proof.isTable(folder);
      known.put(folder, before);
    }
    return before;
  }
}
