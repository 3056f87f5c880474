package io.repave.spark;

import io.repave.core.engine.Progress;
import io.repave.core.store.StoreException;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/**
 * The first request of a command. A name that does not resolve and a port where nobody listens may
 * pass, so requests to them are repeated for the whole of {@code repave.retry.budget}. Who has
 * misspelt an endpoint should not wait that long: until the store has answered once, the patience
 * is short.
 */
final class FirstContact {
  static final long PATIENCE_MILLIS = 15_000;

  private FirstContact() {}

  /** Reads the table's head: 1 request. Throws when there was no answer in time. */
  static void make(Configuration conf, String path, long patienceMillis)
      throws IOException, InterruptedException {
    long budgetMillis = new RepaveSettings(conf).millis(Setting.RETRY_BUDGET);
    Configuration hurried = new Configuration(conf);
    hurried.set(Setting.RETRY_BUDGET.key(), Math.min(patienceMillis, budgetMillis) + "ms");
    // A client of its own: the SDK's twenty tries at a host that is not there take minutes.
    hurried.setInt("fs.s3a.attempts.maximum", 1);
    hurried.setBoolean("fs.s3a.impl.disable.cache", true);
    try {
      TableAccess.of(hurried, path).table(Progress.SILENT).head();
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.UNKNOWN) {
        throw e;
      }
      throw new IOException(
          "S3 cannot be reached, so nothing was done. Check --endpoint-url and the network. "
              + root(e).getMessage(),
          e);
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
