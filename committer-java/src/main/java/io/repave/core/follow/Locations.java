package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.record.RecordNames;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The one folder of each partition at a version, as a catalog should have it.
 *
 * @param follower the catalog; its id marks the one table that has these locations
 * @param folders by partition; of a table without partitions, that of the partition ""
 */
public record Locations(
    Follower follower, Location table, long version, SortedMap<String, Location> folders) {
  private static final String NO_FILES = "@empty";

  public Locations {
    folders = Collections.unmodifiableSortedMap(new TreeMap<>(folders));
  }

  /**
   * Reads the locations of the head's version. Throws when a partition has files in two folders, or
   * is outside the table. Requests: those of the live files.
   */
  static Locations of(TableContext context, Head head, Follower follower)
      throws IOException, InterruptedException {
    SortedMap<String, Location> folders = new TreeMap<>();
    List<String> divided = new ArrayList<>();
    try (LiveFiles.Open live = new LiveFiles(context).all(head, head.version())) {
      live.each(
          (partition, file) -> {
            if (RecordNames.isOutside(partition)) {
              throw FollowErrors.outsideOfCatalog(
                  partition, context.paths().root(), follower.kind().label());
            }
            Location within = context.paths().folder(partition);
            String name = PartFileName.folderIn(file.name());
            Location folder = name.isEmpty() ? within : within.resolve(name);
            Location other = folders.putIfAbsent(partition, folder);
            if (other != null && !other.equals(folder) && !divided.contains(partition)) {
              divided.add(partition);
            }
          });
    }
    if (!divided.isEmpty()) {
      throw FollowErrors.twoFolders(context.paths().root(), divided);
    }
    return new Locations(follower, context.paths().root(), head.version(), folders);
  }

  /**
   * The folder of a table without partitions. If the table has no live files, this is a folder that
   * never has any, because the table's own folder may have replaced files.
   */
  public Location whole() {
    return folders.getOrDefault("", table.resolve(NO_FILES));
  }

  /** True for a folder that only a catalog's location names: no table is there. */
  public static boolean isOfCatalog(Location folder) {
    return isOfCatalog(folder.name());
  }

  /** The same for the last part of a folder's name. */
  public static boolean isOfCatalog(String folder) {
    return PartFileName.isFolder(folder) || folder.equals(NO_FILES);
  }

  /** The folder of a partition relative to the table; "" is the table itself. */
  public String folder(String partition) {
    Location folder = folders.get(partition);
    return folder.equals(table) ? "" : table.relative(folder);
  }

  /** The number of partitions that no commit has overwritten since following began. */
  public long plain() {
    return folders.keySet().stream().filter(this::isPlain).count();
  }

  /** True when the files of a partition are not in the folder of a commit. */
  public boolean isPlain(String partition) {
    return folders.containsKey(partition) && !PartFileName.isFolder(folders.get(partition).name());
  }
}
