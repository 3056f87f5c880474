package io.repave.spark.plan;

import io.repave.core.engine.BoundedMap;
import io.repave.core.listing.TouchedListing;
import io.repave.hadoop.read.VersionFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import scala.Tuple2;
import scala.collection.immutable.HashMap$;
import scala.collection.immutable.Seq;
import scala.collection.mutable.Builder;
import scala.collection.mutable.LinkedHashMap;

/**
 * The files of a version in the form of Spark's own indexes, and what Spark made of them. They
 * never change, so each is computed once, when it is asked for.
 */
final class IndexedFiles {
  /** How many options of a table's names, or of a path, are remembered with their files. */
  private static final int OPTIONS_MOST = 8;

  private final Path version;
  private final List<VersionFiles.Folder> found;
  private final scala.collection.immutable.Map<Path, FileStatus[]> folders;
  private final Map<Object, Seq<PartitionDirectory>> scanned = BoundedMap.ofNewest(OPTIONS_MOST);
  private LinkedHashMap<Path, FileStatus> files;
  private PartitionSpec partitions;

  private IndexedFiles(Path version, List<VersionFiles.Folder> found) {
    this.version = version;
    this.found = found;
    Builder<Tuple2<Path, FileStatus[]>, scala.collection.immutable.HashMap<Path, FileStatus[]>>
        builder = HashMap$.MODULE$.newBuilder();
    found.forEach(folder -> builder.addOne(new Tuple2<>(folder.path(), folder.files())));
    this.folders = builder.result();
  }

  static IndexedFiles of(VersionFiles version) throws IOException {
    return new IndexedFiles(version.version(), version.byFolder());
  }

  /** The same files, without what Spark made of them for one schema of a user. */
  IndexedFiles again() {
    return new IndexedFiles(version, found);
  }

  Path version() {
    return version;
  }

  List<VersionFiles.Folder> found() {
    return found;
  }

  /** Whether some files are not in the table's own folder. */
  boolean hasSubfolders() {
    return found.stream().anyMatch(folder -> !folder.name().isEmpty());
  }

  scala.collection.immutable.Map<Path, FileStatus[]> folders() {
    return folders;
  }

  /** All files by path, which few queries need. */
  synchronized LinkedHashMap<Path, FileStatus> files() {
    if (files == null) {
      LinkedHashMap<Path, FileStatus> all = new LinkedHashMap<>();
      for (VersionFiles.Folder folder : found) {
        for (FileStatus file : folder.files()) {
          all.put(file.getPath(), file);
        }
      }
      files = all;
    }
    return files;
  }

  /** Whether Spark would list these files, of which it needs one at least to infer a schema. */
  boolean isAsListed() {
    return !found.isEmpty() && areShown();
  }

  /** Whether Spark would list all of these files. It passes over names that it takes for hidden. */
  boolean areShown() {
    return found.stream().allMatch(it -> isShown("/" + it.name()) && areShown(it));
  }

  /** Whether Spark would show all files of this folder. */
  static boolean areShown(VersionFiles.Folder folder) {
    for (FileStatus file : folder.files()) {
      String name = "/" + file.getPath().getName();
      if (!isShown(name) || TouchedListing.isUnfinishedCopy(name)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isShown(String path) {
    return !path.contains("/_") && !path.contains("/.");
  }

  /** The partitions, as they are inferred the first time. */
  synchronized PartitionSpec partitions(Supplier<PartitionSpec> infer) {
    if (partitions == null) {
      partitions = infer.get();
    }
    return partitions;
  }

  /**
   * The files that a scan without a filter reads, by partition. Options may leave some out, and two
   * names of one table in a statement may have different ones.
   */
  synchronized Seq<PartitionDirectory> scanned(
      Object options, Supplier<Seq<PartitionDirectory>> list) {
    return scanned.computeIfAbsent(options, some -> list.get());
  }
}
