package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The folder of a partition that the catalog keeps outside the table's folder. */
final class ExternalPartition {
  private ExternalPartition() {}

  static Location location(TableAccess table, Configuration conf, Path named)
      throws InvalidConfigException {
    Path folder = TableAccess.storePath(conf, named);
    if (!table.settings().manages(folder.toUri().getScheme())) {
      throw WriteErrors.partitionNotOnS3(table.root(), folder);
    }
    return TableAccess.location(folder);
  }
}
