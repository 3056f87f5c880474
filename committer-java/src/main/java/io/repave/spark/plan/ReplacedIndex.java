package io.repave.spark.plan;

import java.util.HashMap;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.collection.immutable.Map;

/** Puts another index of files into a relation of a plan. */
final class ReplacedIndex {
  private static final String VERSION = "io.repave.version";

  private ReplacedIndex() {}

  /** The same relation, which reads the files of an index. */
  static LogicalPlan of(LogicalRelation node, FileIndex index, SparkSession session) {
    return with(node, index, files(node).options(), session);
  }

  /**
   * The same, marked with a version. Spark compares the paths, the schema and the options of two
   * relations, so this option tells those of two versions apart.
   */
  static LogicalPlan ofVersion(
      LogicalRelation node, FileIndex index, String version, SparkSession session) {
    Map<String, String> options =
        CaseInsensitiveMap$.MODULE$.apply(files(node).options()).updated(VERSION, version);
    return with(node, index, options, session);
  }

  /**
   * A relation in the form for sources that the session's {@code useV1SourceList} leaves out,
   * marked in the same way.
   */
  static LogicalPlan marked(DataSourceV2Relation node, String version) {
    java.util.Map<String, String> options = new HashMap<>(node.options().asCaseSensitiveMap());
    options.put(VERSION, version);
    return copy(node, node.options(), new CaseInsensitiveStringMap(options));
  }

  /** Whether an earlier run of a rule has marked the relation. */
  static boolean isMarked(LogicalPlan node) {
    return node instanceof DataSourceV2Relation relation
        ? relation.options().containsKey(VERSION)
        : files((LogicalRelation) node).options().contains(VERSION);
  }

  private static HadoopFsRelation files(LogicalRelation node) {
    return (HadoopFsRelation) node.relation();
  }

  private static LogicalPlan with(
      LogicalRelation node, FileIndex index, Map<String, String> options, SparkSession session) {
    HadoopFsRelation files = files(node);
    HadoopFsRelation replaced =
        new HadoopFsRelation(
            index,
            files.partitionSchema(),
            files.dataSchema(),
            files.bucketSpec(),
            files.fileFormat(),
            options,
            session);
    return copy(node, files, replaced);
  }

  /** The constructors of nodes have other parameters in each release of Spark. */
  private static LogicalPlan copy(LogicalPlan node, Object before, Object after) {
    Object[] parts = new Object[node.productArity()];
    for (int at = 0; at < parts.length; at++) {
      Object part = node.productElement(at);
      parts[at] = part == before ? after : part;
    }
    return node.makeCopy(parts);
  }
}
