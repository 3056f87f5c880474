package io.repave.hadoop.faults;

import io.repave.core.record.Readers;
import io.repave.core.snapshot.Snapshot;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoredObject;
import io.repave.hadoop.TableAccess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The content of a table: for each file its folder, first line, length and checksum, sorted. A
 * lost, duplicated, mixed or truncated file changes the list.
 */
final class Rows {
  private Rows() {}

  static String of(String partition, byte[] content) {
    CRC32 sum = new CRC32();
    sum.update(content);
    String text = new String(content, 0, Math.min(100, content.length), StandardCharsets.UTF_8);
    return "%s: %s, %d bytes, %08x"
        .formatted(partition, text.lines().findFirst().orElse(""), content.length, sum.getValue());
  }

  static List<String> sorted(List<String> rows) {
    List<String> sorted = new ArrayList<>(rows);
    Collections.sort(sorted);
    return sorted;
  }

  /** The table for its own kind of readers. */
  static List<String> seen(TableAccess table, Snapshot snapshot) throws IOException {
    boolean byListing = table.settings().readers().orElse(Readers.LISTING) == Readers.LISTING;
    return byListing ? listed(table) : recorded(table, snapshot);
  }

  /** The table for readers that list folders. */
  static List<String> listed(TableAccess table) throws IOException {
    List<String> rows = new ArrayList<>();
    ObjectStore store = table.store();
    String after = "";
    boolean more = true;
    while (more) {
      ListPage page = store.list(table.root(), after);
      for (ListedObject each : page.objects()) {
        Location at = new Location(table.root().bucket(), each.key());
        String path = table.root().relative(at);
        if (!path.startsWith("_")) {
          rows.add(of(path.substring(0, path.lastIndexOf('/')), content(store, at)));
        }
      }
      after = page.last();
      more = page.more();
    }
    return sorted(rows);
  }

  private static List<String> recorded(TableAccess table, Snapshot snapshot) throws IOException {
    List<String> rows = new ArrayList<>();
    ObjectStore store = table.store();
    for (String partition : snapshot.partitions()) {
      for (var file : snapshot.files(partition)) {
        rows.add(of(partition, content(store, table.paths().file(partition, file.name()))));
      }
    }
    return sorted(rows);
  }

  private static byte[] content(ObjectStore store, Location at) throws IOException {
    return store
        .read(at, Integer.MAX_VALUE)
        .map(StoredObject::content)
        .orElse("no such file".getBytes(StandardCharsets.UTF_8));
  }
}
