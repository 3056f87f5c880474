package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Folders that a write replaces, or stays inside, by their names in the table's records. */
public final class ReplacedFolders {
  private final TableAccess table;
  private final ExternalPartition external;
  private final Map<String, Path> folders = new LinkedHashMap<>();

  public ReplacedFolders(TableAccess table, Configuration conf) {
    this.table = table;
    external = new ExternalPartition(table, conf);
  }

  /** Adds folders that Spark asked to delete. Refuses those that a commit cannot replace. */
  public void addAll(List<Path> named) throws InvalidConfigException {
    for (Path folder : named) {
      folders.put(table.paths().partition(external.location(folder)), folder);
    }
  }

  /**
   * Adds the folders of a plan, of which the first may hold others. Skips those that a commit
   * cannot replace: the write need not touch them. False if there were such folders.
   */
  public boolean addPlanned(List<Path> planned) throws InvalidConfigException {
    boolean all = true;
    Location first = planned.isEmpty() ? null : external.location(planned.get(0));
    for (Path folder : planned) {
      if (!external.isManaged(folder)) {
        all = false;
      } else if (!first.holds(external.location(folder))) {
        addAll(List.of(folder));
      }
    }
    return all;
  }

  public List<String> names() {
    return List.copyOf(folders.keySet());
  }

  /** Refuses folders of a snapshot table in which a query would list files. */
  public void requireReadable(String path, Readers readers) throws InvalidConfigException {
    for (Path folder : folders.values()) {
      external.requireReadable(path, folder, readers);
    }
  }
}
