package io.repave.spark.catalog;

import io.repave.core.listing.TouchedListing;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * A static overwrite that an earlier commit with its token has done already. It changes nothing,
 * but Spark does not know that: when it returns, Spark removes from the catalog the partitions that
 * its tasks did not write. If other jobs have written to them since, readers by the table's name
 * would miss their rows.
 */
public final class RepeatedOverwrite {
  private final TableAccess table;
  private final Configuration conf;
  private final List<Path> partitions;

  /**
   * {@code partitions} are those of the catalog that Spark removes unless a task writes to them.
   */
  public RepeatedOverwrite(TableAccess table, Configuration conf, List<Path> partitions) {
    this.table = table;
    this.conf = conf;
    this.partitions = List.copyOf(partitions);
  }

  /**
   * Throws before Spark removes a partition with files. {@code written} are the folders that the
   * tasks wrote to, by their names in the records. Requests: one listing for each partition that
   * they did not write to; none as a rule, because the first overwrite left no other in the
   * catalog.
   */
  public void requireNothingRemoved(Collection<String> written, String token, long version)
      throws IOException {
    Set<String> names = Set.copyOf(written);
    List<Location> removed = new ArrayList<>();
    ExternalPartition external = new ExternalPartition(table, conf);
    for (Path folder : partitions) {
      Location location = external.location(folder);
      if (!names.contains(table.paths().partition(location)) && holdsFiles(folder)) {
        removed.add(location);
      }
    }
    if (!removed.isEmpty()) {
      throw CatalogErrors.repetitionRemovesPartitions(table.root(), token, version, removed);
    }
  }

  private boolean holdsFiles(Path folder) throws IOException {
    FileSystem files = folder.getFileSystem(conf);
    try {
      RemoteIterator<LocatedFileStatus> each = files.listFiles(folder, true);
      while (each.hasNext()) {
        if (!TouchedListing.isHidden(each.next().getPath().getName())) {
          return true;
        }
      }
      return false;
    } catch (FileNotFoundException absent) {
      return false;
    }
  }
}
