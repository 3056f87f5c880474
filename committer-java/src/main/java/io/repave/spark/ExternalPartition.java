package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import org.apache.hadoop.fs.Path;

/** The folder of a partition that the catalog keeps outside the table's folder. */
final class ExternalPartition {
  private ExternalPartition() {}

  static Location location(TableAccess table, Path folder) throws InvalidConfigException {
    if (!table.settings().manages(folder.toUri().getScheme())) {
      throw WriteErrors.partitionNotOnS3(table.root(), folder);
    }
    return TableAccess.location(folder);
  }
}
