package io.repave.spark.plan;

import static scala.jdk.javaapi.CollectionConverters.asJava;

import io.repave.core.store.Sha256;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.Rewrite;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/**
 * Tells two frames of one {@code repave://} path apart that Spark listed in two versions. Spark
 * compares the paths only: in a query that joins or unites the frames it would read one of them and
 * use its rows for both.
 *
 * <p>It is a rule of the optimizer, which runs after Spark has looked into its cache.
 */
final class ListedVersions extends Rule<LogicalPlan> {
  private final SparkSession session;

  ListedVersions(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return plan.transformDown(new Rewrite<>(ListedVersions::isFor, this::withVersion));
  }

  private static boolean isFor(LogicalPlan node) {
    return listed(node).filter(ListedVersions::isAtRepave).isPresent();
  }

  /** The index of a path that is not marked with its version yet. */
  private static Optional<InMemoryFileIndex> listed(LogicalPlan node) {
    return PlanNodes.files(node)
        .filter(files -> !node.isStreaming() && !ReplacedIndex.isMarked(node))
        .filter(InMemoryFileIndex.class::isInstance)
        .map(InMemoryFileIndex.class::cast);
  }

  private static boolean isAtRepave(InMemoryFileIndex index) {
    return asJava(index.rootPaths()).stream().anyMatch(RepaveFileSystem::isPath);
  }

  private LogicalPlan withVersion(LogicalPlan node) {
    InMemoryFileIndex index = listed(node).orElseThrow();
    return node instanceof DataSourceV2Relation path
        ? ReplacedIndex.marked(path, hash(index))
        : ReplacedIndex.ofVersion((LogicalRelation) node, index, hash(index), session);
  }

  private static String hash(InMemoryFileIndex index) {
    MessageDigest hash = Sha256.create();
    for (FileStatus file : asJava(index.allFiles())) {
      hash.update((file.getPath() + "\n").getBytes(StandardCharsets.UTF_8));
    }
    return Sha256.hex(hash);
  }
}
