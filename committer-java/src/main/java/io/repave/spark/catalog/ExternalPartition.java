package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Readers;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.hadoop.ManagedPaths;
import io.repave.hadoop.TableAccess;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The folder of a partition that the catalog keeps outside the table's folder. */
public final class ExternalPartition {
  private final TableAccess table;
  private final Configuration conf;

  public ExternalPartition(TableAccess table, Configuration conf) {
    this.table = table;
    this.conf = conf;
  }

  /** Where a commit of the table puts the files of a folder that Spark named. */
  public Location location(Path named) throws InvalidConfigException {
    Path folder = TableAccess.storePath(conf, named);
    if (!table.settings().manages(folder.toUri().getScheme())) {
      throw CatalogErrors.partitionNotOnS3(table.root(), folder);
    }
    if (!new ManagedPaths(conf).manages(folder)) {
      throw CatalogErrors.partitionExcluded(table.root(), folder);
    }
    return TableAccess.location(folder);
  }

  /** Whether a commit of the table can replace the folder's files. */
  boolean isManaged(Path named) throws InvalidConfigException {
    return new ManagedPaths(conf).manages(TableAccess.storePath(conf, named));
  }

  /**
   * Refuses a folder of a snapshot table in which a query by the table's name would list files. The
   * records name the files of a version, but only in the table's partitions, and only {@code
   * repave://} reads the records. {@code path} is the written path, as Spark named it.
   */
  public void requireReadable(String path, Path named, Readers readers)
      throws InvalidConfigException {
    String scheme = new Path(path).toUri().getScheme();
    boolean asTable = scheme == null || scheme.equals(named.toUri().getScheme());
    boolean inside = TablePaths.of(location(named)).root().equals(table.root());
    if (readers == Readers.SNAPSHOT && !(asTable && inside)) {
      throw CatalogErrors.partitionOfSnapshotTable(table.root(), named);
    }
  }
}
