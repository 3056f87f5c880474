package io.repave.spark.plan;

import io.repave.spark.bridge.PlanNodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.NoopCache$;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.collection.mutable.LinkedHashMap;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The files of a snapshot table's path, from the records. Spark prunes partitions, infers their
 * types and plans the scan as for files that it has listed by itself.
 */
final class RecordsIndex extends PartitioningAwareFileIndex {
  private final SparkSession session;
  private final Map<String, String> options;
  private final Option<StructType> given;
  private final ShownVersion shown;
  private final StructType partitions;
  private volatile IndexedFiles indexed;

  /**
   * Shows a version.
   *
   * @param indexed the files of this version, with what Spark inferred for the given schema
   */
  RecordsIndex(
      SparkSession session,
      Map<String, String> options,
      Option<StructType> given,
      ShownVersion shown,
      IndexedFiles indexed) {
    super(session, options, given, NoopCache$.MODULE$);
    this.session = session;
    this.options = options;
    this.given = given;
    this.shown = shown;
    this.indexed = indexed;
    this.partitions = partitionSchema();
  }

  private RecordsIndex(RecordsIndex index, ShownVersion now) {
    super(index.session, index.options, index.given, NoopCache$.MODULE$);
    this.session = index.session;
    this.options = index.options;
    this.given = index.given;
    this.shown = now;
    this.partitions = index.partitions;
    this.indexed = index.indexed();
  }

  private IndexedFiles indexed() {
    IndexedFiles files = shown.files();
    if (!files.version().equals(indexed.version())) {
      indexed = files.again();
    }
    return indexed;
  }

  /** The same files for a query that is planned now; a refresh of this index does not move them. */
  RecordsIndex planned() {
    return new RecordsIndex(this, VersionsOfStatement.ofThread().planned(shown));
  }

  Path version() {
    return indexed().version();
  }

  @Override
  public Seq<Path> rootPaths() {
    return CollectionConverters.asScala(java.util.List.of(shown.root())).toList();
  }

  @Override
  public LinkedHashMap<Path, FileStatus> leafFiles() {
    return indexed().files();
  }

  @Override
  public Map<Path, FileStatus[]> leafDirToChildrenFiles() {
    return indexed().folders();
  }

  @Override
  public PartitionSpec partitionSpec() {
    return indexed().partitions(this::infer);
  }

  private PartitionSpec infer() {
    DeclaredTypes declared = DeclaredTypes.of(given, session.sessionState().conf());
    return PlainPartitions.of(indexed().found(), declared).orElseGet(this::inferPartitioning);
  }

  /**
   * Spark asks for all files at each scan without a filter of partitions, and a version always has
   * the same. A filter of {@code _metadata} leaves some of them out.
   */
  @Override
  public Seq<PartitionDirectory> listFiles(Seq<Expression> partition, Seq<Expression> data) {
    shown.requireFresh();
    requireSamePartitions();
    return partition.isEmpty() && !haveMetadata(data)
        ? indexed().scanned(options, () -> super.listFiles(partition, data))
        : super.listFiles(partition, data);
  }

  /**
   * Fails if a refresh has changed the partition columns. Spark's relation keeps those that it was
   * made with, and takes the values of a folder by their places.
   */
  private void requireSamePartitions() {
    StructType now = partitionSchema();
    if (!indexed().found().isEmpty() && !now.equals(partitions)) {
      throw new UncheckedIOException(
          new IOException(
              "The partition columns of %s were (%s) and are now (%s). Read the path again."
                  .formatted(shown.root(), partitions.toDDL(), now.toDDL())));
    }
  }

  private static boolean haveMetadata(Seq<Expression> filters) {
    return CollectionConverters.asJava(filters).stream().anyMatch(PlanNodes::leavesOutFiles);
  }

  /**
   * Called by {@code REFRESH} and {@code spark.catalog.refreshByPath}, and for cached frames after
   * a commit to a path around this one.
   */
  @Override
  public void refresh() {
    shown.refresh();
  }

  /** Rows of one version are not those of another, so Spark must not take its cache for both. */
  @Override
  public boolean equals(Object other) {
    return other instanceof RecordsIndex index && index.shown.isSame(shown);
  }

  @Override
  public int hashCode() {
    return shown.root().hashCode();
  }
}
