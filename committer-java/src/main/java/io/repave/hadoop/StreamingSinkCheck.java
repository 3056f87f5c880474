package io.repave.hadoop;

import io.repave.core.store.ListPage;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.read.TableViewResolver;
import java.io.IOException;

/** Refuses jobs that write into the table of a streaming query, before they change anything. */
public final class StreamingSinkCheck {
  private StreamingSinkCheck() {}

  /**
   * One LIST for the written folder, and one for each folder above it in its table. A query that
   * reads the folder with the log would not see the rows, and would miss the files that an
   * overwrite deletes.
   */
  public static void requireNone(TableAccess access) throws IOException {
    Location folder = access.root().resolve(access.folder());
    requireNoLog(access, folder);
    while (!folder.equals(access.root())) {
      folder = folder.parent();
      requireNoLog(access, folder);
    }
  }

  private static void requireNoLog(TableAccess access, Location folder) throws IOException {
    Location log = folder.resolve(TableViewResolver.STREAMING_LOG);
    ObjectStore store = access.store();
    ListPage page = access.retry().send(() -> store.list(log, ""));
    if (!page.objects().isEmpty()) {
      throw SettingErrors.streamingSink(folder);
    }
  }
}
