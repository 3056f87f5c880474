package io.repave.spark.write;

import io.repave.core.store.Sha256;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.bridge.ScalaMembers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that a query reads, as Spark listed them before its write began. Spark compares sources
 * by their paths and names, so that a query is the same for it after its files were replaced.
 *
 * @param hash of the paths, lengths and times of the files; empty if they are not known, such as
 *     those of a table whose partitions are in a catalog, or that Hive's or Iceberg's classes read
 */
record FilesRead(Optional<String> hash) {
  private static final Logger LOG = LoggerFactory.getLogger(FilesRead.class);

  static FilesRead of(LogicalPlan query) {
    try {
      MessageDigest hash = Sha256.create();
      for (LogicalPlan node : withSubqueries(query).toList()) {
        if (PlanNodes.isTableWithoutFiles(node)) {
          return new FilesRead(Optional.empty());
        }
        Optional<FileIndex> files = PlanNodes.files(node);
        if (files.isEmpty()) {
          continue;
        }
        if (!(files.get() instanceof PartitioningAwareFileIndex listed)) {
          return new FilesRead(Optional.empty());
        }
        for (Object each : ScalaMembers.list(listed, "allFiles")) {
          hash.update(text((FileStatus) each).getBytes(StandardCharsets.UTF_8));
        }
      }
      return new FilesRead(Optional.of(Sha256.hex(hash)));
    } catch (RuntimeException | LinkageError e) {
      LOG.warn(
          "Spark's plan does not show which files this write reads. A retry of the write in this"
              + " application does not count as the same write.",
          e);
      return new FilesRead(Optional.empty());
    }
  }

  private static String text(FileStatus file) {
    return file.getPath() + "\n" + file.getLen() + " " + file.getModificationTime() + "\n";
  }

  boolean isSameAs(FilesRead other) {
    return hash.isPresent() && hash.equals(other.hash);
  }

  private static Stream<LogicalPlan> withSubqueries(LogicalPlan query) {
    return Stream.concat(
            Stream.of(query),
            ScalaMembers.list(query, "subqueriesAll").stream().map(it -> (LogicalPlan) it))
        .flatMap(it -> PlanNodes.all(it).stream());
  }
}
