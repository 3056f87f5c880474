package io.repave.spark.check;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.spark.write.RunningQueries;
import io.repave.spark.write.WriteTarget;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import scala.Option;

/**
 * The folders of {@code INSERT OVERWRITE DIRECTORY} in a format of Hive. Spark writes to a
 * temporary folder, then deletes all else that is in the folder, the records of a table as well,
 * and moves the new files there.
 */
public final class HiveDirectory {
  /** In a module of Spark that not every session has. */
  private static final String COMMAND = "InsertIntoHiveDirCommand";

  private HiveDirectory() {}

  /**
   * Before its tasks, if this thread runs such a statement. Requests for each folder: 1 GET of the
   * head, and 1 LIST for each page of its keys, which Hive lists again to delete them.
   */
  public static void requireNoTable(Configuration conf) throws IOException, InterruptedException {
    for (Path named : ofThread()) {
      // Hive resolves a relative path against the working directory, such as /user/<name>.
      Path folder = named.getFileSystem(conf).makeQualified(named);
      WriteTarget target = new WriteTarget("", folder.toString(), false);
      if (target.isManaged(conf)) {
        requireNoTable(folder, target.access(conf));
      }
    }
  }

  private static void requireNoTable(Path folder, TableAccess access)
      throws IOException, InterruptedException {
    if (new TablePaths(access.root()).isAmongRecords()) {
      throw UsageErrors.folderOfRecords(access.root(), RecordNames.FOLDER);
    }
    Table table = access.table(Progress.SILENT);
    if (table.head().isPresent()) {
      throw StatementErrors.hiveDirectory(folder, access.root());
    }
    Optional<Location> inside = table.firstIn(access.root().resolve(access.folder()));
    if (inside.isPresent()) {
      throw StatementErrors.hiveDirectoryAround(folder, inside.get());
    }
  }

  /** Several for {@code FROM … INSERT … INSERT …}, whose first write begins before the others. */
  private static List<Path> ofThread() {
    return RunningQueries.ofThread().flatMap(RunningQueries::writing).stream()
        .flatMap(query -> PlanNodes.all(query.analyzed()).stream())
        .filter(node -> node.getClass().getSimpleName().equals(COMMAND))
        .filter(node -> !(boolean) ScalaMembers.member(node, "isLocal"))
        .map(node -> (CatalogStorageFormat) ScalaMembers.member(node, "storage"))
        .map(CatalogStorageFormat::locationUri)
        .filter(Option::isDefined)
        .map(location -> new Path(location.get()))
        .toList();
  }
}
