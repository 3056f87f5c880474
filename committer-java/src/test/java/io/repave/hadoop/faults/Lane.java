package io.repave.hadoop.faults;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.LabProxy;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * Two connections to one server: {@code s3a} through the proxy, and {@code s3} directly, without
 * faults. Each mode has two buckets: in one of them, the SDK repeats failed requests itself.
 */
final class Lane {
  static final int TIMEOUT_MILLIS = 1_000;
  private static final int DRAIN_SECONDS = 5;

  private final String name;
  private final Configuration faulty;
  private final Configuration clean;

  Lane(String server, EmbeddedS3 behind, LabProxy proxy, Mode mode) throws IOException {
    // Hadoop caches one file system per scheme and bucket, with its first endpoint.
    name = server + "-" + mode.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    faulty = configuration(behind, proxy.endpoint());
    faulty.set("fs.s3a.connection.timeout", TIMEOUT_MILLIS + "ms");
    faulty.set("fs.s3a.connection.part.upload.timeout", 2 * TIMEOUT_MILLIS + "ms");
    clean = configuration(behind, behind.endpoint());
    // A repave:// path opens the store's file system too. It must not be that of s3a, which would
    // then bypass the proxy for all later jobs.
    clean.set("repave.store.scheme", "s3");
    for (int tries = 0; tries < 2; tries++) {
      behind.createBucket(bucket(tries));
      faulty.setInt("fs.s3a.bucket." + bucket(tries) + ".attempts.maximum", tries);
    }
  }

  private static Configuration configuration(EmbeddedS3 server, String endpoint) {
    Configuration conf = server.configuration(endpoint);
    conf.set("fs.repave.impl", RepaveFileSystem.class.getName());
    conf.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem");
    conf.set("repave.drain", DRAIN_SECONDS + "s");
    conf.set("repave.part.size", "5m");
    conf.set("repave.upload.threads", "64");
    // So that commits write checkpoints too.
    conf.set("repave.checkpoint.every", "2");
    return conf;
  }

  /** Its two buckets. */
  List<String> buckets() {
    return List.of(bucket(0), bucket(1));
  }

  private String bucket(int tries) {
    return name + "-" + tries;
  }

  /** The settings of a job whose requests fail. */
  Configuration faulty() {
    return new Configuration(faulty);
  }

  /** Whether only one racing writer wins on this server. On moto, sometimes two do. */
  boolean isLocked() {
    return !name.startsWith("moto");
  }

  String faultyPath(int trial) {
    return "s3a://" + bucket(trial % 2) + "/t" + trial;
  }

  String cleanPath(int trial) {
    return "s3://" + bucket(trial % 2) + "/t" + trial;
  }

  /** The settings of a job without the proxy, for the same kind of table. */
  Configuration calm(Configuration job) {
    Configuration conf = new Configuration(clean);
    conf.set("repave.readers", job.get("repave.readers"));
    return conf;
  }

  /** The table of a trial, without the proxy. */
  TableAccess clean(int trial, Configuration job) throws IOException {
    return TableAccess.of(calm(job), cleanPath(trial));
  }
}
