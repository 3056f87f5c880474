package io.repave.core.commit;

import io.repave.core.store.Utf8Order;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Adds up the files of folders. A listing passes on files from several threads. */
public final class FolderSizes {
  private final SortedMap<String, FolderSize> sizes = new TreeMap<>(Utf8Order.KEYS);

  /** Makes a folder known, also if it has no files. */
  synchronized void begin(String folder) {
    sizes.putIfAbsent(folder, new FolderSize(folder, 0, 0));
  }

  synchronized boolean contain(String folder) {
    return sizes.containsKey(folder);
  }

  public synchronized void add(String folder, long bytes) {
    begin(folder);
    sizes.computeIfPresent(folder, (name, size) -> size.plus(bytes));
  }

  public synchronized List<FolderSize> list() {
    return List.copyOf(sizes.values());
  }
}
