package io.repave.hadoop.mapreduce;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;

/** Configured per scheme: {@code mapreduce.outputcommitter.factory.scheme.s3a}. */
public final class RepaveCommitterFactory extends PathOutputCommitterFactory {
  @Override
  public PathOutputCommitter createOutputCommitter(Path output, TaskAttemptContext context)
      throws IOException {
    return new RepaveCommitter(output, context);
  }
}
