package io.repave.spark.write;

import io.repave.core.engine.FolderContents;
import io.repave.core.engine.OwnRead;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.ShownName;
import io.repave.hadoop.read.StorePath;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.DynamicPruning;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.CatalogFileIndex;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import scala.Option;
import scala.collection.Iterator;

/**
 * The scans in a write's query that read the table to which it writes. Spark keeps the files that
 * it listed for a scan, so they are those that the query reads, also when it has run already.
 *
 * <p>Cached frames are left out: Spark refreshes them after a write. So are sources of Spark's
 * second form, scans of an earlier version that the query names, and scans that leave out some
 * files of a folder.
 */
final class OwnScans {
  private static final Set<String> FILTERS =
      Set.of("pathGlobFilter", "modifiedBefore", "modifiedAfter");

  private final Location table;
  private final List<OwnRead> found = new ArrayList<>();
  private final Map<Object, Set<List<?>>> seen = new IdentityHashMap<>();

  private OwnScans(Location table) {
    this.table = table;
  }

  /** The scans in the plans of a write's query: as it ran, and as Spark had planned it at first. */
  static List<OwnRead> of(List<SparkPlan> plans, Location table) {
    OwnScans scans = new OwnScans(table);
    plans.forEach(scans::look);
    return scans.found;
  }

  private void look(SparkPlan plan) {
    look(PlanNodes.all(plan));
    look(PlanNodes.allAtFirst(plan));
  }

  private void look(List<SparkPlan> nodes) {
    for (SparkPlan node : nodes) {
      if (node instanceof FileSourceScanExec scan && isComplete(scan) && isNew(scan)) {
        add(scan);
      }
      ScalaMembers.list(node, "subqueries").forEach(it -> look((SparkPlan) it));
    }
  }

  /**
   * Adaptive execution has copies of a scan. They share the relation, with its files, unless each
   * of them asks the catalog for its partitions.
   */
  private boolean isNew(FileSourceScanExec scan) {
    Object listed = scan.relation().location() instanceof CatalogFileIndex ? scan : scan.relation();
    List<?> filters =
        ScalaMembers.list(scan, "partitionFilters").stream()
            .filter(it -> !(it instanceof DynamicPruning))
            .toList();
    return seen.computeIfAbsent(listed, unseen -> new HashSet<>()).add(filters);
  }

  /** Whether the scan reads all files of each folder that it reads. */
  private static boolean isComplete(FileSourceScanExec scan) {
    HadoopFsRelation relation = scan.relation();
    FileIndex index = relation.location();
    return (index instanceof PartitioningAwareFileIndex || index instanceof CatalogFileIndex)
        && FILTERS.stream().noneMatch(key -> relation.options().get(key).isDefined())
        && ScalaMembers.list(scan, "dataFilters").stream()
            .noneMatch(it -> PlanNodes.leavesOutFiles((Expression) it));
  }

  private void add(FileSourceScanExec scan) {
    List<Path> roots = roots(scan);
    if (roots.stream().noneMatch(this::isOfTable)) {
      return;
    }
    Set<Path> named = new HashSet<>(roots);
    FolderContents contents = new FolderContents();
    for (FileStatus file : files(ScalaMembers.member(scan, "selectedPartitions"))) {
      if (named.contains(file.getPath())) {
        return;
      }
      if (file.getLen() > 0) {
        contents.add(location(file.getPath()));
      }
    }
    boolean isFromRecords = roots.stream().anyMatch(RepaveFileSystem::isPath);
    Readers by = isFromRecords ? Readers.SNAPSHOT : Readers.LISTING;
    found.add(new OwnRead(contents, SelectedFolders.of(scan, roots, table), by));
  }

  /**
   * What the scan reads in buckets. A name whose partitions Spark has selected has only these as
   * paths, so the table's location belongs to them.
   */
  private static List<Path> roots(FileSourceScanExec scan) {
    List<Path> roots = new ArrayList<>();
    PlanNodes.catalogTable(scan)
        .map(it -> it.storage().locationUri())
        .filter(Option::isDefined)
        .ifPresent(it -> roots.add(new Path(it.get())));
    ScalaMembers.list(scan.relation().location(), "rootPaths").forEach(it -> roots.add((Path) it));
    roots.removeIf(it -> it.toUri().getAuthority() == null);
    return roots;
  }

  /** The file itself, which {@code repave://} may show by another name. */
  private static Location location(Path file) {
    Location shown = StorePath.of(file).at();
    return RepaveFileSystem.isPath(file)
        ? new Location(shown.bucket(), ShownName.key(shown.key()))
        : shown;
  }

  /**
   * Whether a path is the table or one of its folders, and no version that the query names. An
   * exact version is one that Repave chose for a path or a pattern.
   */
  private boolean isOfTable(Path path) {
    StorePath named = StorePath.of(path);
    return (!named.isPinned() || named.isExact())
        && (named.at().equals(table) || table.holds(named.at()));
  }

  /** Spark 3.5 has an array of partitions, later versions an object that lists them. */
  private static List<FileStatus> files(Object selected) {
    List<FileStatus> files = new ArrayList<>();
    if (selected instanceof Object[] partitions) {
      for (Object partition : partitions) {
        ScalaMembers.list(partition, "files").forEach(it -> files.add(status(it)));
      }
      return files;
    }
    Iterator<?> partitions = (Iterator<?>) ScalaMembers.member(selected, "filePartitionIterator");
    while (partitions.hasNext()) {
      Iterator<?> of = (Iterator<?>) ScalaMembers.member(partitions.next(), "files");
      while (of.hasNext()) {
        files.add(status(of.next()));
      }
    }
    return files;
  }

  private static FileStatus status(Object file) {
    return (FileStatus) ScalaMembers.member(file, "fileStatus");
  }
}
