package io.repave.hadoop;

import io.repave.core.ledger.PartFileName;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.Path;

/** The errors of {@code repave://} paths. Each says where to write instead. */
final class FileSystemErrors {
  private static final String WHERE_WRITES_GO =
      " Write to the table's own path, such as s3a://bucket/table, with"
          + " spark.sql.sources.commitProtocolClass=io.repave.spark.RepaveCommitProtocol.";

  private static final String TWO_LOADERS =
      " The name is that of a commit's file, so the task has ended, or two class loaders of this"
          + " process have loaded Repave's jar, for example on a Spark Connect server with"
          + " spark.executor.userClassPathFirst=true. Then put the jar into Spark's jars folder or"
          + " into spark.executor.extraClassPath instead of spark.jars.";

  private static final String KEY_MATERIAL = "_KEY_MATERIAL_FOR_";

  private FileSystemErrors() {}

  static IOException noBucket(URI name) {
    return new IOException(name + " names no bucket. Use a path such as repave://bucket/folder.");
  }

  /** Parquet's encryption may write the keys of each file into another one beside it. */
  static IOException notCreated(Path path) {
    return path.getName().startsWith(KEY_MATERIAL)
        ? new IOException(
            path
                + " cannot be created: a Repave commit has no place for Parquet's files of key"
                + " material. Keep the key material in the data files"
                + " (parquet.encryption.key.material.store.internally=true), or write this path"
                + " without Repave (repave.exclude).")
        : notAnnounced(path);
  }

  private static IOException notAnnounced(Path path) {
    return new IOException(
        path
            + " cannot be created: on repave:// paths only the tasks of a Repave commit create files, and"
            + " this is not a file of such a task in this process."
            + (PartFileName.commitOf(path.getName()).isPresent() ? TWO_LOADERS : WHERE_WRITES_GO));
  }

  static UnsupportedOperationException readOnly(String action, Path path) {
    return new UnsupportedOperationException(
        "Cannot " + action + " " + path + ": repave:// paths are for reading." + WHERE_WRITES_GO);
  }

  static UnsupportedOperationException notDeleted(Path path) {
    return new UnsupportedOperationException(
        "Cannot delete "
            + path
            + ": repave:// paths are for reading. RepaveTable.drop_partitions removes the rows of"
            + " partitions. If a statement on a managed table asked for this, its catalog may lack"
            + " the partition or the table now, and the rows are still at the path:"
            + " RepaveTable.register adds those of a snapshot table again; for a listing table use"
            + " MSCK REPAIR TABLE, after CREATE TABLE … LOCATION if the table is gone.");
  }
}
