package io.repave.spark.command;

import io.repave.core.engine.Progress;
import io.repave.core.store.StoreException;
import io.repave.hadoop.BucketOptions;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Checks with one request that the store can be reached. An unknown host name or a closed port may
 * be a temporary failure, so requests are repeated for all of {@code repave.retry.budget}. A user
 * with a misspelt endpoint should not wait that long, so the first request has a short budget.
 */
final class ConnectivityCheck {
  static final long BUDGET_MILLIS = 15_000;

  private ConnectivityCheck() {}

  /** Reads the table's head: 1 request. Throws if the store does not respond in time. */
  static void run(Configuration conf, String path, long limitMillis)
      throws IOException, InterruptedException {
    long budgetMillis = new RepaveSettings(conf).millis(Setting.RETRY_BUDGET);
    Configuration impatient = new Configuration(conf);
    impatient.set(Setting.RETRY_BUDGET.key(), Math.min(limitMillis, budgetMillis) + "ms");
    // A separate client: the SDK's default of twenty tries at an unknown host takes minutes.
    String bucket = TableAccess.location(new Path(path)).bucket();
    impatient.setInt(new BucketOptions(conf, bucket).key("attempts.maximum"), 1);
    impatient.setBoolean("fs.s3a.impl.disable.cache", true);
    try {
      TableAccess.of(impatient, path).table(Progress.SILENT).head();
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.UNKNOWN) {
        throw e;
      }
      throw CommandErrors.storeNotReached(root(e), e);
    }
  }

  private static Throwable root(Throwable failure) {
    Throwable at = failure;
    while (at.getCause() != null) {
      at = at.getCause();
    }
    return at;
  }
}
