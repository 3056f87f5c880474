package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** The folder of a partition that the catalog keeps outside the table's own. */
final class CustomLocation {
  private CustomLocation() {}

  static Location of(TableAccess table, Configuration conf, Path named)
      throws InvalidConfigException {
    Path folder = TableAccess.storePath(conf, named);
    if (!table.settings().manages(folder.toUri().getScheme())) {
      throw new InvalidConfigException(
          "A partition of "
              + table.root()
              + " lies in "
              + folder
              + ", which is not on S3, so one commit cannot replace both. Move the partition, or"
              + " write to it by its own path.");
    }
    return TableAccess.place(folder);
  }
}
