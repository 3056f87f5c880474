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
  private final String above;
  private final VersionFiles files;

  PartitionsOfVersion(SparkSession session, CatalogFileIndex name, Path root, VersionFiles files) {
    super(session, name.table(), name.sizeInBytes());
    this.session = session;
    this.above = root.toString().endsWith("/") ? root.toString() : root + "/";
    this.files = files;
  }

  @Override
  public InMemoryFileIndex filterPartitions(Seq<Expression> filters) {
    long begin = System.nanoTime();
    String zone = session.sessionState().conf().sessionLocalTimeZone();
    List<PartitionPath> wanted = new ArrayList<>();
    for (CatalogTablePartition each : asJava(catalogued(filters))) {
      Path location = qualified(new Path(each.location()));
      wanted.add(new PartitionPath(each.toRow(partitionSchema(), zone), location));
    }
    Map<Path, FileStatus[]> known = new HashMap<>();
    List<PartitionPath> found = inVersion(wanted, known);
    Seq<PartitionPath> partitions = asScala(found).toSeq();
    return new InMemoryFileIndex(
        session,
        asScala(found.stream().map(PartitionPath::path).toList()).toSeq(),
        Map$.MODULE$.empty(),
        Option.apply(partitionSchema()),
        new KnownFiles(known),
        Option.apply(new PartitionSpec(partitionSchema(), partitions)),
        Option.apply(System.nanoTime() - begin));
  }

  private Seq<CatalogTablePartition> catalogued(Seq<Expression> filters) {
    return session.sessionState().catalog().listPartitionsByFilter(table().identifier(), filters);
  }

  /** These partitions in this version, and the files that are known of them. */
  private List<PartitionPath> inVersion(List<PartitionPath> all, Map<Path, FileStatus[]> known) {
    Map<String, VersionFiles.Folder> folders =
        folders(all.stream().flatMap(it -> nameInTable(it.path()).stream()).toList());
    List<PartitionPath> found = new ArrayList<>();
    for (PartitionPath each : all) {
      Optional<String> name = nameInTable(each.path());
      Path path = each.path();
      if (name.map(folders::get).isPresent()) {
        path = path(folders.get(name.get()), known);
      } else if (name.filter(PartitionsOfVersion::isPartition).isPresent()) {
        known.put(path, NO_FILES);
      }
      found.add(new PartitionPath(each.values(), path));
    }
    return found;
  }

  /** Spark lists a folder of which it hides some files, in exactly this version. */
  private Path path(VersionFiles.Folder folder, Map<Path, FileStatus[]> known) {
    if (!IndexedFiles.areShown(folder)) {
      return files.folder(folder.name());
    }
    known.put(folder.path(), folder.files());
    return folder.path();
  }

  private Map<String, VersionFiles.Folder> folders(List<String> names) {
    Map<String, VersionFiles.Folder> byName = new HashMap<>();
    try {
      files.byFolder(names).forEach(folder -> byName.put(folder.name(), folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return byName;
  }

  /** The folder of a partition, relative to the table. Empty for one that is elsewhere. */
  private Optional<String> nameInTable(Path path) {
    return Optional.of(path.toString())
        .filter(whole -> whole.startsWith(above))
        .map(whole -> whole.substring(above.length()))
        .filter(name -> !name.startsWith("@"));
  }

  /** Whether the version would have this folder if the partition had files. */
  private static boolean isPartition(String name) {
    return Stream.of(name.split("/")).allMatch(part -> part.contains("="));
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
