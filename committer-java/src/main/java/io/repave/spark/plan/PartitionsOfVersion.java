package io.repave.spark.plan;

import static scala.jdk.javaapi.CollectionConverters.asJava;
import static scala.jdk.javaapi.CollectionConverters.asScala;

import io.repave.hadoop.read.VersionFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.CatalogFileIndex;
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex;
import org.apache.spark.sql.execution.datasources.PartitionPath;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import scala.Option;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;

/**
 * The partitions that the catalog has of a name, with their files in one version of the table. The
 * catalog selects partitions by a filter, as for every name. No folder of the table is listed.
 *
 * <p>A partition that the catalog has elsewhere is listed by Spark.
 */
final class PartitionsOfVersion extends CatalogFileIndex {
  private static final FileStatus[] NO_FILES = {};

  private final SparkSession session;
  private final Path root;
  private final IndexedFiles files;

  PartitionsOfVersion(SparkSession session, CatalogFileIndex name, Path root, IndexedFiles files) {
    super(session, name.table(), name.sizeInBytes());
    this.session = session;
    this.root = root;
    this.files = files;
  }

  @Override
  public InMemoryFileIndex filterPartitions(Seq<Expression> filters) {
    long begin = System.nanoTime();
    Map<Path, FileStatus[]> known = new HashMap<>();
    List<PartitionPath> selected = new ArrayList<>();
    for (CatalogTablePartition each : asJava(catalogued(filters))) {
      String zone = session.sessionState().conf().sessionLocalTimeZone();
      selected.add(
          partition(each.toRow(partitionSchema(), zone), new Path(each.location()), known));
    }
    Seq<PartitionPath> partitions = asScala(selected).toSeq();
    return new InMemoryFileIndex(
        session,
        asScala(selected.stream().map(PartitionPath::path).toList()).toSeq(),
        Map$.MODULE$.empty(),
        Option.apply(partitionSchema()),
        new KnownFiles(known),
        Option.apply(new PartitionSpec(partitionSchema(), partitions)),
        Option.apply(System.nanoTime() - begin));
  }

  private Seq<CatalogTablePartition> catalogued(Seq<Expression> filters) {
    return session.sessionState().catalog().listPartitionsByFilter(table().identifier(), filters);
  }

  /** Adds the partition's files to those that are known, if it is one of the table's. */
  private PartitionPath partition(
      InternalRow values, Path location, Map<Path, FileStatus[]> known) {
    Path path = qualified(location);
    Optional<String> name = nameInTable(path);
    VersionFiles.Folder folder = name.flatMap(files::folder).orElse(null);
    if (folder != null) {
      known.put(folder.path(), folder.files());
      return new PartitionPath(values, folder.path());
    }
    if (name.filter(PartitionsOfVersion::isPartition).isPresent()) {
      known.put(path, NO_FILES);
    }
    return new PartitionPath(values, path);
  }

  /** The folder of a partition, relative to the table. Empty for one that is elsewhere. */
  private Optional<String> nameInTable(Path path) {
    String above = root + "/";
    return Optional.of(path.toString())
        .filter(whole -> whole.startsWith(above))
        .map(whole -> whole.substring(above.length()));
  }

  /** Whether the version would have this folder if the partition had files. */
  private static boolean isPartition(String name) {
    return !name.startsWith("@") && Stream.of(name.split("/")).allMatch(part -> part.contains("="));
  }

  private Path qualified(Path location) {
    try {
      return location.getFileSystem(hadoopConf()).makeQualified(location);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return files.version().toString();
  }

  /** Two versions of one name have different rows. */
  @Override
  public boolean equals(Object other) {
    return other instanceof PartitionsOfVersion index
        && index.files.version().equals(files.version())
        && super.equals(index);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
