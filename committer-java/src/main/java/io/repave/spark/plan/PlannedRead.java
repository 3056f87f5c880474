package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedDataSource;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/**
 * A read that may be planned from records: one path in a format whose files have a schema.
 *
 * @param schema the one that the user gave, if any
 */
record PlannedRead(String format, Path path, Option<StructType> schema) {
  private static final Set<String> FORMATS = Set.of("parquet", "orc");

  /** The read that a leaf of a plan asks for, by {@code spark.read} or by SQL on files. */
  static Optional<PlannedRead> of(LogicalPlan leaf) {
    if (leaf instanceof UnresolvedDataSource source) {
      return source.options().isEmpty() && !source.isStreaming() && source.paths().size() == 1
          ? of(source.format(), source.paths().head(), source.userSpecifiedSchema())
          : Optional.empty();
    }
    if (leaf instanceof UnresolvedRelation named) {
      return SQLConf.get().runSQLonFile()
              && named.options().isEmpty()
              && !named.isStreaming()
              && named.multipartIdentifier().size() == 2
          ? of(
              named.multipartIdentifier().head(),
              named.multipartIdentifier().last(),
              Option.empty())
          : Optional.empty();
    }
    return Optional.empty();
  }

  private static Optional<PlannedRead> of(String source, String path, Option<StructType> schema) {
    String format = source.toLowerCase(Locale.ROOT);
    if (!FORMATS.contains(format) || !path.startsWith(RepaveFileSystem.PREFIX)) {
      return Optional.empty();
    }
    return Optional.of(new PlannedRead(format, new Path(path), schema))
        .filter(read -> !SparkHadoopUtil.get().isGlobPath(read.path()));
  }

  /** The format's first implementation, unless the session asks for another one. */
  Optional<FileFormat> fileFormat(SQLConf conf) {
    boolean isFirst =
        List.of(conf.getConf(SQLConf.USE_V1_SOURCE_LIST()).split("\\s*,\\s*")).contains(format);
    Class<?> found = DataSource.lookupDataSource(format, conf);
    try {
      Object source = found.getDeclaredConstructor().newInstance();
      if (source instanceof FileDataSourceV2 second && isFirst) {
        source = second.fallbackFileFormat().getDeclaredConstructor().newInstance();
      }
      return source instanceof FileFormat file ? Optional.of(file) : Optional.empty();
    } catch (ReflectiveOperationException e) {
      return Optional.empty();
    }
  }
}
