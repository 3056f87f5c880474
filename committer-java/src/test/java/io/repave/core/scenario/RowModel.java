package io.repave.core.scenario;

import io.repave.core.record.CommitKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * A table as its users think of it: partitions, and the rows in each. A job writes a row for each
 * mention of a partition, and the row says which job wrote it. Shares no code with the engine.
 */
record RowModel(TreeMap<String, List<String>> rows) {

  static RowModel empty() {
    return new RowModel(new TreeMap<>());
  }

  /** The table after a job; {@code scope} is what a static overwrite replaces. */
  RowModel after(CommitKind kind, String scope, Collection<String> written, String job) {
    RowModel next = empty();
    rows.forEach(
        (partition, old) -> {
          boolean replaced =
              switch (kind) {
                case APPEND -> false;
                case STATIC -> inside(partition, scope);
                default -> written.stream().anyMatch(folder -> inside(partition, folder));
              };
          if (!replaced) {
            old.forEach(row -> next.add(partition, row));
          }
        });
    written.forEach(partition -> next.add(partition, job));
    return next;
  }

  void add(String partition, String row) {
    List<String> old = rows.computeIfAbsent(partition, it -> new ArrayList<>());
    old.add(row);
    old.sort(null);
  }

  private static boolean inside(String partition, String folder) {
    return folder.isEmpty() || (partition + "/").startsWith(folder + "/");
  }
}
