import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/** Runs a ResourceManager and NodeManagers until it is killed; writes their conf to a file. */
final class MiniYarn {
  private static final String QUEUES = "yarn.scheduler.capacity.";

  public static void main(String[] arguments) throws Exception {
    YarnConfiguration conf = new YarnConfiguration();
    conf.set(QUEUES + "root.queues", "default");
    conf.set(QUEUES + "root.default.capacity", "100");
    conf.set(QUEUES + "maximum-am-resource-percent", "1");
    // Several builds may share this machine: nothing is killed for its memory or a full disk.
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    conf.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, false);
    conf.setInt(YarnConfiguration.RM_AM_MAX_ATTEMPTS, 20);
    conf.setFloat(YarnConfiguration.NM_MAX_PER_DISK_UTILIZATION_PERCENTAGE, 99.9f);
    int nodes = Integer.parseInt(arguments[1]);
    MiniYARNCluster cluster = new MiniYARNCluster("repave", nodes, 1, 1);
    cluster.init(conf);
    cluster.start();
    try (OutputStream site = Files.newOutputStream(Path.of(arguments[0]))) {
      cluster.getConfig().writeXml(site);
    }
    System.out.println("The cluster is running.");
    Thread.currentThread().join();
  }
}
