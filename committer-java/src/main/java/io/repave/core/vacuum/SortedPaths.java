package io.repave.core.vacuum;

import io.repave.core.snapshot.FileStream;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.Optional;

/** Paths in ascending order, in which ascending paths are looked up. */
final class SortedPaths {
  private final FileStream paths;
  private Optional<FileStream.Placed> next;
  private String passed = "";

  SortedPaths(FileStream paths) throws IOException, InterruptedException {
    this.paths = paths;
    this.next = paths.next();
  }

  /** True when these paths have the given one. */
  boolean reach(String path) throws IOException, InterruptedException {
    int order = -1;
    while (next.isPresent() && (order = Utf8Order.compare(name(), path)) < 0) {
      passed = name();
      next = paths.next();
    }
    return next.isPresent() && order == 0;
  }

  /**
   * True when these paths have one in a folder, which ends with a slash and holds the path that was
   * looked up last. The paths of a folder follow each other, so its nearest one is on either side.
   */
  boolean haveIn(String folder) {
    return passed.startsWith(folder) || next.isPresent() && name().startsWith(folder);
  }

  private String name() {
    return next.get().file().name();
  }
}
