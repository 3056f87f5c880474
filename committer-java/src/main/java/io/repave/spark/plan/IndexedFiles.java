package io.repave.spark.plan;

import io.repave.hadoop.read.VersionFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import scala.Tuple2;
import scala.collection.immutable.HashMap$;
import scala.collection.mutable.Builder;
import scala.collection.mutable.LinkedHashMap;

/** The files of a version in the form of Spark's own indexes, and the partitions they are in. */
final class IndexedFiles {
  private static final String COPYING = "._COPYING_";

  private final Path version;
  private final LinkedHashMap<Path, FileStatus> files;
  private final scala.collection.immutable.Map<Path, FileStatus[]> folders;
  private PartitionSpec partitions;

  private IndexedFiles(
      Path version,
      LinkedHashMap<Path, FileStatus> files,
      scala.collection.immutable.Map<Path, FileStatus[]> folders) {
    this.version = version;
    this.files = files;
    this.folders = folders;
  }

  static IndexedFiles of(VersionFiles version) throws IOException {
    LinkedHashMap<Path, FileStatus> files = new LinkedHashMap<>();
    Builder<Tuple2<Path, FileStatus[]>, scala.collection.immutable.HashMap<Path, FileStatus[]>>
        folders = HashMap$.MODULE$.newBuilder();
    for (Map.Entry<Path, List<FileStatus>> folder : version.byFolder().entrySet()) {
      for (FileStatus file : folder.getValue()) {
        files.put(file.getPath(), file);
      }
      folders.addOne(new Tuple2<>(folder.getKey(), folder.getValue().toArray(FileStatus[]::new)));
    }
    return new IndexedFiles(version.version(), files, folders.result());
  }

  Path version() {
    return version;
  }

  LinkedHashMap<Path, FileStatus> files() {
    return files;
  }

  scala.collection.immutable.Map<Path, FileStatus[]> folders() {
    return folders;
  }

  /**
   * Whether Spark would list exactly these files. It passes over names that it takes for hidden.
   */
  boolean isAsListed() {
    return !files.isEmpty() && files.keysIterator().forall(IndexedFiles::isShown);
  }

  private static boolean isShown(Path file) {
    String key = file.toUri().getPath();
    return !key.contains("/_") && !key.contains("/.") && !key.endsWith(COPYING);
  }

  /** The partitions, inferred once. */
  synchronized PartitionSpec partitions(Supplier<PartitionSpec> infer) {
    if (partitions == null) {
      partitions = infer.get();
    }
    return partitions;
  }
}
