package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.VersionFiles;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FileSourceConstantMetadataAttribute;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.NoopCache$;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
  private static final Logger LOG = LoggerFactory.getLogger(RecordsIndex.class);

  private final SparkSession session;
  private final Path root;
  private final Map<String, String> options;
  private final Option<StructType> given;
  private final RepaveFileSystem store;
  private volatile IndexedFiles indexed;
  private volatile Optional<IOException> stale = Optional.empty();

  RecordsIndex(
      SparkSession session,
      Path root,
      Map<String, String> options,
      Option<StructType> given,
      RepaveFileSystem store,
      IndexedFiles indexed) {
    super(session, options, given, NoopCache$.MODULE$);
    this.session = session;
    this.root = root;
    this.options = options;
    this.given = given;
    this.store = store;
    this.indexed = indexed;
  }

  @Override
  public Seq<Path> rootPaths() {
    return CollectionConverters.asScala(java.util.List.of(root)).toList();
  }

  @Override
  public LinkedHashMap<Path, FileStatus> leafFiles() {
    return indexed.files();
  }

  @Override
  public Map<Path, FileStatus[]> leafDirToChildrenFiles() {
    return indexed.folders();
  }

  @Override
  public PartitionSpec partitionSpec() {
    return indexed.partitions(this::infer);
  }

  private PartitionSpec infer() {
    DeclaredTypes declared = DeclaredTypes.of(given, session.sessionState().conf());
    return PlainPartitions.of(indexed.found(), declared).orElseGet(this::inferPartitioning);
  }

  /**
   * Spark asks for all files at each scan without a filter of partitions, and a version always has
   * the same. A filter of {@code _metadata} leaves some of them out.
   */
  @Override
  public Seq<PartitionDirectory> listFiles(Seq<Expression> partition, Seq<Expression> data) {
    if (stale.isPresent()) {
      throw new UncheckedIOException(stale.get());
    }
    return partition.isEmpty() && !haveMetadata(data)
        ? indexed.scanned(options, () -> super.listFiles(partition, data))
        : super.listFiles(partition, data);
  }

  private static boolean haveMetadata(Seq<Expression> filters) {
    return CollectionConverters.asJava(filters).stream()
        .flatMap(filter -> CollectionConverters.asJava(filter.references().toSeq()).stream())
        .anyMatch(
            column ->
                column instanceof AttributeReference attribute
                    && FileSourceConstantMetadataAttribute.unapply(attribute).isDefined());
  }

  /**
   * Called by {@code REFRESH} and {@code spark.catalog.refreshByPath}, and for cached frames after
   * a commit to a path around this one. The commit must not fail because a vacuum has removed the
   * version of a cached frame, so the next scan fails instead.
   */
  @Override
  public void refresh() {
    try {
      Optional<VersionFiles> now = store.version(root);
      if (now.isEmpty()) {
        throw new FileNotFoundException(
            "There is no snapshot table at " + root + " any more. Read the path again.");
      }
      indexed = IndexedFiles.of(now.get());
      stale = Optional.empty();
    } catch (IOException e) {
      LOG.warn("Frames that read {} could not be refreshed: {}", root, e.getMessage());
      stale = Optional.of(e);
    }
  }

  /** Rows of one version are not those of another, so Spark must not take its cache for both. */
  @Override
  public boolean equals(Object other) {
    return other instanceof RecordsIndex index
        && index.root.equals(root)
        && index.indexed.version().equals(indexed.version());
  }

  @Override
  public int hashCode() {
    return root.hashCode();
  }
}
