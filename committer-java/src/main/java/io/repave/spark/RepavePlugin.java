package io.repave.spark;

import io.repave.hadoop.mapreduce.LedgerAnswer;
import io.repave.hadoop.mapreduce.LedgerInbox;
import io.repave.hadoop.mapreduce.LedgerMessages;
import io.repave.hadoop.mapreduce.SentLedger;
import java.io.IOException;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Carries the ledgers of RDD saves from the tasks to the driver by Spark's own messages, so that
 * they need no objects. Named in {@code spark.plugins}; without it, saves work by objects.
 */
public final class RepavePlugin implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    return new Driver();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor();
  }

  private static final class Driver implements DriverPlugin {
    /** All RDD saves together hold as much in the driver as the tasks of one DataFrame write. */
    @Override
    public Map<String, String> init(SparkContext spark, PluginContext context) {
      LedgerInbox.JVM.limit(TaskMessage.share(context.conf(), 1));
      return Map.of();
    }

    /** Messages hold the JDK's own classes only, which every class loader of Spark knows. */
    @Override
    public Object receive(Object message) {
      Object[] parts = (Object[]) message;
      SentLedger sent =
          new SentLedger(
              (String) parts[0], (String) parts[1], (Integer) parts[2], (byte[]) parts[3]);
      return LedgerInbox.JVM.receive(sent).name();
    }
  }

  private static final class Executor implements ExecutorPlugin {
    @Override
    public void init(PluginContext context, Map<String, String> configuration) {
      LedgerMessages.JVM.use(ledger -> ask(context, ledger));
    }

    private static LedgerAnswer ask(PluginContext context, SentLedger sent) throws IOException {
      Object[] parts = {sent.commit(), sent.task(), sent.attempt(), sent.ledger()};
      try {
        return LedgerAnswer.valueOf((String) context.ask(parts));
      } catch (RuntimeException e) {
        throw e;
      } catch (InterruptedException e) {
        // Spark kills this task: it must not go on to store its ledger.
        Thread.currentThread().interrupt();
        throw new IOException(e);
      } catch (Exception e) {
        throw new IOException(e);
      }
    }

    @Override
    public void shutdown() {
      LedgerMessages.JVM.stop();
    }
  }
}
