package io.repave.hadoop.mapreduce;

import io.repave.hadoop.ManagedPaths;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;

/**
 * Configured per scheme: {@code mapreduce.outputcommitter.factory.scheme.s3a}. Hadoop looks a path
 * without a scheme up as {@code mapreduce.outputcommitter.factory.scheme.null}.
 */
public final class RepaveCommitterFactory extends PathOutputCommitterFactory {
  /** What Spark names as the class of values in each write of a DataFrame, and in no other job. */
  private static final String ROW_OF_SPARK = "org.apache.spark.sql.catalyst.InternalRow";

  @Override
  public PathOutputCommitter createOutputCommitter(Path output, TaskAttemptContext context)
      throws IOException {
    Optional<Path> managed = managed(context.getConfiguration(), output);
    return managed.isPresent()
        ? new RepaveCommitter(managed.get(), context)
        : new FileOutputCommitter(output, context);
  }

  /** The path with its scheme, if Repave commits a job that writes to it; else empty. */
  static Optional<Path> managed(Configuration conf, Path output) throws IOException {
    if (isDataFrame(conf) || ManagedPaths.isStaging(output.toString())) {
      return Optional.empty();
    }
    // Spark passes the path of saveAsNewAPIHadoopFile on as the program writes it.
    Path qualified =
        output.toUri().getScheme() == null
            ? output.getFileSystem(conf).makeQualified(output)
            : output;
    return new ManagedPaths(conf).manages(qualified) ? Optional.of(qualified) : Optional.empty();
  }

  /**
   * A write of a DataFrame that comes here has another commit protocol than Repave's. Spark's own
   * asks only a {@link FileOutputCommitter} for its work folder: with another committer its tasks
   * would write to the final paths, and a failed job would leave the files there.
   */
  private static boolean isDataFrame(Configuration conf) {
    return ROW_OF_SPARK.equals(conf.get(MRJobConfig.OUTPUT_VALUE_CLASS));
  }
}
