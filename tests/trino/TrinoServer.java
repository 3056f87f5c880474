import io.trino.plugin.hive.HivePlugin;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.TestingSession;
import java.util.Map;
import java.util.TreeMap;

/** Trino's own server, with one catalog: arguments are the properties of its Hive connector. */
public final class TrinoServer {
  private TrinoServer() {}

  public static void main(String[] properties) throws Exception {
    Map<String, String> catalog = new TreeMap<>();
    for (String property : properties) {
      String[] pair = property.split("=", 2);
      catalog.put(pair[0], pair[1]);
    }
    DistributedQueryRunner server =
        DistributedQueryRunner.builder(TestingSession.testSessionBuilder().build())
            .setWorkerCount(0)
            .build();
    server.installPlugin(new HivePlugin());
    server.createCatalog("hive", "hive", catalog);
    System.out.println("Trino answers at " + server.getCoordinator().getBaseUrl());
    Thread.currentThread().join();
  }
}
