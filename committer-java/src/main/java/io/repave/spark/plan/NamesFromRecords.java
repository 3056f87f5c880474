package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.VersionFiles;
import io.repave.spark.bridge.Rewrite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.CatalogFileIndex;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import scala.Option;

/**
 * Lets a query of names in the catalog at {@code repave://} paths read one version of each table.
 * Spark would list each partition by itself, and show one that it has listed before as it was then.
 *
 * <p>It is a rule of the optimizer. So a frame of a name shows what is published when it is
 * planned, as Spark's own frames do, and the target of a write is not a part of the plan any more.
 */
final class NamesFromRecords extends Rule<LogicalPlan> {
  private final SparkSession session;

  NamesFromRecords(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return plan.transformDown(new Rewrite<>(NamesFromRecords::isFor, this::fromRecords));
  }

  private static boolean isFor(LogicalPlan node) {
    return node instanceof LogicalRelation named
        && named.catalogTable().isDefined()
        && !named.isStreaming()
        && named.relation() instanceof HadoopFsRelation files
        && !ReplacedIndex.isMarked(named)
        && root(files.location()).isPresent();
  }

  private LogicalPlan fromRecords(LogicalPlan node) {
    LogicalRelation named = (LogicalRelation) node;
    HadoopFsRelation files = (HadoopFsRelation) named.relation();
    return index(files)
        .map(index -> ReplacedIndex.ofVersion(named, index, index.toString(), session))
        .orElse(node);
  }

  /** The path of a name that Spark would list. */
  private static Optional<Path> root(FileIndex index) {
    boolean isListed =
        index.getClass() == CatalogFileIndex.class || index.getClass() == InMemoryFileIndex.class;
    return isListed && index.rootPaths().size() == 1
        ? Optional.of(index.rootPaths().head()).filter(RepaveFileSystem::isPath)
        : Optional.empty();
  }

  /**
   * Empty if Spark has to list the table. A failure ends the query: Spark keeps the listings of a
   * name, and would show rows of an earlier version.
   */
  private Optional<FileIndex> index(HadoopFsRelation relation) {
    Path asked = root(relation.location()).orElseThrow();
    try {
      Optional<PlannableVersions.Found> found = new PlannableVersions(session).find(asked);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      VersionFiles version = found.get().version();
      RepaveFileSystem store = found.get().store();
      Path root = store.makeQualified(asked);
      if (relation.location() instanceof CatalogFileIndex name) {
        return Optional.of(new PartitionsOfVersion(session, name, root, version));
      }
      IndexedFiles files = VersionsOfStatement.ofThread().indexed(version);
      ShownVersion shown = new ShownVersion(store, root, files);
      // Without partitions Spark reads the files in the table's own folder, and no others.
      return !relation.partitionSchema().isEmpty() || files.hasSubfolders() || !files.areShown()
          ? Optional.empty()
          : Optional.of(
              new RecordsIndex(session, relation.options(), Option.empty(), shown, files));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
