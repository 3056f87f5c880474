package io.repave.hadoop.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.spark.RepavePlugin;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.junit.jupiter.api.Test;

/** Ledgers that Spark's plugin carries to the driver. */
class LedgerMessagesTest {
  /** As Spark carries them. */
  @Test
  void thePluginPassesLedgersOnUntilTheDriverHasNoSpaceForThem() throws Exception {
    DriverPlugin driver = new RepavePlugin().driverPlugin();
    PluginContext context = context((self, method, arguments) -> driver.receive(arguments[0]));
    ExecutorPlugin executor = new RepavePlugin().executorPlugin();
    executor.init(context, Map.of());
    try {
      LedgerInbox.JVM.limit(10);
      assertThat(send("a", 10)).isEqualTo(LedgerAnswer.UNKNOWN);
      LedgerInbox.JVM.open("commit");
      assertThat(send("a", 10)).isEqualTo(LedgerAnswer.TAKEN);
      assertThat(send("b", 1)).isEqualTo(LedgerAnswer.STORE);
      SentLedger taken = LedgerInbox.JVM.close("commit").get("a");
      assertThat(taken.attempt()).isEqualTo(3);
      assertThat(taken.ledger()).hasSize(10);
    } finally {
      executor.shutdown();
      LedgerInbox.JVM.forget("commit");
      LedgerInbox.JVM.limit(LedgerInbox.BYTES_MAX);
    }
  }

  private static LedgerAnswer send(String task, int bytes) {
    return LedgerMessages.JVM.send(new SentLedger("commit", task, 3, new byte[bytes]));
  }

  private PluginContext context(InvocationHandler handler) {
    return (PluginContext)
        Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {PluginContext.class}, handler);
  }

  /** Spark interrupts the thread of a task that it kills. */
  @Test
  void anInterruptDuringAMessageStaysSetAndTheLedgerIsNotSent() {
    PluginContext context =
        context(
            (self, method, arguments) -> {
              throw new InterruptedException();
            });
    ExecutorPlugin executor = new RepavePlugin().executorPlugin();
    executor.init(context, Map.of());
    try {
      assertThat(send("task", 1)).isEqualTo(LedgerAnswer.STORE);
      assertThat(Thread.interrupted()).isTrue();
    } finally {
      executor.shutdown();
    }
  }
}
