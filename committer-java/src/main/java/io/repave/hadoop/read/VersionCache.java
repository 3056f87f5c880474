package io.repave.hadoop.read;

import io.repave.core.engine.BoundedMap;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of the versions that this JVM has read, within a budget of bytes; the least recently
 * used go first. A version never changes, so an entry is right for as long as it is kept.
 *
 * <p>If only a few folders of a version are wanted, each is loaded alone. After {@link
 * #FOLDERS_ALONE} of them the whole version is loaded, unless it is larger than the budget.
 */
public final class VersionCache {
  /** The cache of this JVM. Its keys contain the table's id, which only a reader of it knows. */
  public static final VersionCache JVM = new VersionCache(Runtime.getRuntime().maxMemory() / 8);

  /** The number of folders of a version that are loaded one by one. */
  static final int FOLDERS_ALONE = 4;

  private static final int REMEMBERED_VERSIONS = 256;
  private static final int TOO_LARGE = Integer.MIN_VALUE;
  private static final String ALL = "";

  /** Loads files of a version from the records. */
  interface Loader {
    /**
     * The files in some folders and below them; "" means the whole table. Empty if they take more
     * than {@code bytesMax} of memory.
     */
    Optional<SnapshotFiles> load(Collection<String> folders, long bytesMax) throws IOException;
  }

  private record Key(TableVersion version, String folder) {}

  private final long bytesMax;
  private final Object[] locks = new Object[32];
  private final Map<Key, SnapshotFiles> kept = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<TableVersion, Integer> foldersAsked =
      BoundedMap.ofLastUsed(REMEMBERED_VERSIONS);
  private long bytes;

  /** A cache of at most so many bytes, as estimated. */
  public VersionCache(long bytesMax) {
    this.bytesMax = bytesMax;
    for (int i = 0; i < locks.length; i++) {
      locks[i] = new Object();
    }
  }

  /** All files of a version. */
  SnapshotFiles all(TableVersion version, Loader loader) throws IOException {
    return loaded(new Key(version, ALL), Long.MAX_VALUE, loader).orElseThrow();
  }

  /** At least the files in a folder and below it. */
  SnapshotFiles in(TableVersion version, String folder, Loader loader) throws IOException {
    Optional<SnapshotFiles> known = find(version, folder);
    if (known.isPresent()) {
      return known.get();
    }
    if (wantsAll(version)) {
      Optional<SnapshotFiles> all = smallEnough(version, loader);
      if (all.isPresent()) {
        return all.get();
      }
    }
    return loaded(new Key(version, folder), Long.MAX_VALUE, loader).orElseThrow();
  }

  /** All files of a version, or those in a folder if all are more than the budget. */
  SnapshotFiles allOr(TableVersion version, String folder, Loader loader) throws IOException {
    Optional<SnapshotFiles> all = allInBudget(version, folder, loader);
    return all.isPresent()
        ? all.get()
        : loaded(new Key(version, folder), Long.MAX_VALUE, loader).orElseThrow();
  }

  /** The same for several folders, which are loaded together and not kept. */
  SnapshotFiles allOr(TableVersion version, Collection<String> folders, Loader loader)
      throws IOException {
    Optional<SnapshotFiles> all = allInBudget(version, ALL, loader);
    return all.isPresent() ? all.get() : loader.load(folders, Long.MAX_VALUE).orElseThrow();
  }

  private Optional<SnapshotFiles> allInBudget(TableVersion version, String folder, Loader loader)
      throws IOException {
    Optional<SnapshotFiles> known = find(version, folder);
    return known.isPresent() || isTooLarge(version) ? known : smallEnough(version, loader);
  }

  /** The files of a folder, if they are in memory. */
  synchronized Optional<SnapshotFiles> find(TableVersion version, String folder) {
    String around = folder;
    while (true) {
      SnapshotFiles found = kept.get(new Key(version, around));
      if (found != null || around.isEmpty()) {
        return Optional.ofNullable(found);
      }
      around = around.substring(0, Math.max(0, around.lastIndexOf('/')));
    }
  }

  /** The estimated memory of everything that is kept. */
  synchronized long bytes() {
    return bytes;
  }

  private Optional<SnapshotFiles> smallEnough(TableVersion version, Loader loader)
      throws IOException {
    Optional<SnapshotFiles> all = loaded(new Key(version, ALL), bytesMax, loader);
    if (all.isEmpty()) {
      synchronized (this) {
        foldersAsked.put(version, TOO_LARGE);
      }
    }
    return all;
  }

  private synchronized boolean isTooLarge(TableVersion version) {
    return foldersAsked.getOrDefault(version, 0) < 0;
  }

  private synchronized boolean wantsAll(TableVersion version) {
    int asked = foldersAsked.getOrDefault(version, 0);
    if (asked >= 0) {
      foldersAsked.put(version, asked + 1);
    }
    return asked >= FOLDERS_ALONE;
  }

  /** Threads that want the same files wait for the first one, so that they are read once. */
  private Optional<SnapshotFiles> loaded(Key key, long limit, Loader loader) throws IOException {
    synchronized (locks[Math.floorMod(key.hashCode(), locks.length)]) {
      Optional<SnapshotFiles> known = find(key.version(), key.folder());
      if (known.isPresent()) {
        return known;
      }
      Optional<SnapshotFiles> files = loader.load(List.of(key.folder()), limit);
      files.ifPresent(all -> keep(key, all));
      return files;
    }
  }

  private synchronized void keep(Key key, SnapshotFiles files) {
    if (files.bytes() > bytesMax) {
      return;
    }
    SnapshotFiles before = kept.put(key, files);
    bytes += files.bytes() - (before == null ? 0 : before.bytes());
    var oldest = kept.entrySet().iterator();
    while (bytes > bytesMax) {
      bytes -= oldest.next().getValue().bytes();
      oldest.remove();
    }
  }
}
