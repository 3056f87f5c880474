package io.repave.hadoop.mapreduce;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.ManagedPaths;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;

/** Configured per scheme: {@code mapreduce.outputcommitter.factory.scheme.s3a}. */
public final class RepaveCommitterFactory extends PathOutputCommitterFactory {
  @Override
  public PathOutputCommitter createOutputCommitter(Path output, TaskAttemptContext context)
      throws IOException {
    return manages(context.getConfiguration(), output)
        ? new RepaveCommitter(output, context)
        : new FileOutputCommitter(output, context);
  }

  /** Whether Repave commits a job that writes to this path. */
  static boolean manages(Configuration conf, Path output) throws InvalidConfigException {
    return !ManagedPaths.isStaging(output.toString()) && new ManagedPaths(conf).manages(output);
  }
}
