package io.repave.testing;

import io.repave.core.record.FollowerKind;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads symlink manifests as Hive does: the lines of all files in the folder of a partition. */
public final class SymlinkReplay {
  private SymlinkReplay() {}

  /** The files below the folder of the manifests. */
  public static SortedMap<Location, HeldObject> files(MemoryObjectStore store, TablePaths paths) {
    Location folder = paths.pointer(FollowerKind.SYMLINK);
    return store.objects().subMap(folder, new Location(folder.bucket(), folder.key() + "0"));
  }

  public static String text(HeldObject file) {
    return new String(file.content(), StandardCharsets.UTF_8);
  }

  /** The files that all manifests name, relative to the table; one named twice is there twice. */
  public static List<String> live(MemoryObjectStore store, TablePaths paths) {
    List<String> live = new ArrayList<>();
    byPartition(store, paths).values().forEach(live::addAll);
    return live;
  }

  /** The files that the manifests of each partition name, relative to the table. */
  public static Map<String, List<String>> byPartition(MemoryObjectStore store, TablePaths paths) {
    Map<String, List<String>> partitions = new TreeMap<>();
    Location folder = paths.pointer(FollowerKind.SYMLINK);
    Location table = new Location(paths.root().bucket(), paths.root().prefix());
    files(store, paths)
        .forEach(
            (at, file) -> {
              String path = folder.relative(at);
              String partition = path.substring(0, Math.max(0, path.lastIndexOf('/')));
              List<String> names = partitions.computeIfAbsent(partition, it -> new ArrayList<>());
              text(file)
                  .lines()
                  .map(line -> line.substring(table.toString().length()))
                  .forEach(names::add);
            });
    return partitions;
  }
}
