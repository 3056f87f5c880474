package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.spark.RepavePlugin;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.junit.jupiter.api.Test;

/** Ledgers that Spark's plugin carries to the driver. */
class LedgerMessagesTest {
  /** Spark interrupts the thread of a task that it kills. */
  @Test
  void anInterruptDuringAMessageStaysSetAndTheLedgerIsNotSent() {
    PluginContext context =
        (PluginContext)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {PluginContext.class},
                (self, method, arguments) -> {
                  throw new InterruptedException();
                });
    ExecutorPlugin executor = new RepavePlugin().executorPlugin();
    executor.init(context, Map.of());
    try {
      assertThat(LedgerMessages.JVM.send(new SentLedger("commit", "task", 0, new byte[1])))
          .isEqualTo(LedgerAnswer.STORE);
      assertThat(Thread.interrupted()).isTrue();
    } finally {
      executor.shutdown();
    }
  }
}
