package io.repave.hadoop;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.engine.StopSignal;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.hadoop.footer.ParquetFooter;
import io.repave.hadoop.parquet.ParquetLibrary;
import io.repave.hadoop.runtime.BoundedParallelRunner;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.hadoop.runtime.SystemClock;
import io.repave.hadoop.runtime.TemporaryFile;
import io.repave.hadoop.upload.SharedUploads;
import io.repave.hadoop.upload.UploadResources;
import io.repave.s3.Capabilities;
import io.repave.s3.CapabilityProbe;
import io.repave.s3.S3Stores;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;

/**
 * Wires the engine and the uploads: the S3 store over Hadoop's file systems of one scheme, threads,
 * clock and settings.
 */
final class StoreAccess {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int NONCE_BYTES = 16;
  private static final String CONNECTIONS = "connection.maximum";

  /** The default of Hadoop 3.3. Newer releases set a higher one in their configuration. */
  private static final int CONNECTIONS_AT_LEAST = 96;

  /** One runner per bucket, because each bucket's file system has its own connections. */
  private static final Map<String, BoundedParallelRunner> COMMIT_RUNNERS =
      new ConcurrentHashMap<>();

  private final Configuration conf;
  private final String bucket;
  private final RepaveSettings settings;
  private final UserFileSystems files;

  /** For tables in this bucket. Their partitions may be in other buckets. */
  StoreAccess(Configuration conf, String scheme, String bucket) {
    this.conf = conf;
    this.bucket = bucket;
    settings = new RepaveSettings(conf);
    files = new UserFileSystems(conf, scheme);
  }

  ObjectStore store() throws InvalidConfigException {
    return settings.isOn(Setting.SINGLE_WRITER)
        ? S3Stores.openForSingleWriter(files)
        : S3Stores.open(files);
  }

  /** For jobs that may create a table. Refuses a store that would lose or duplicate rows. */
  ObjectStore storeToBegin() throws InvalidConfigException {
    return settings.isOn(Setting.SINGLE_WRITER)
        ? S3Stores.openGuardedForSingleWriter(files, StoreAccess::probeRunner)
        : S3Stores.openGuarded(files, StoreAccess::probeRunner);
  }

  /** Tests the store with objects among the records of a table. */
  StoreFindings tryOut(Location records) throws IOException, InterruptedException {
    Capabilities seen = new CapabilityProbe(S3Stores.open(files), records, probeRunner()).run();
    return new StoreFindings(seen.isSafe(), seen.missing());
  }

  /** A runner of its own for each probe: its writers must run at the same time. */
  private static ParallelRunner probeRunner() {
    return new BoundedParallelRunner("repave-probe", CapabilityProbe.RACERS);
  }

  Ports ports(ObjectStore store, Progress progress) throws InvalidConfigException {
    int threads = Math.min(settings.count(Setting.COMMIT_THREADS), connections());
    ParallelRunner runner =
        COMMIT_RUNNERS.computeIfAbsent(
            bucket, name -> new BoundedParallelRunner("repave-commit", threads));
    return new Ports(
        store,
        new SystemClock(),
        StoreAccess::nonce,
        runner,
        TemporaryFile::new,
        SharedHeads.OF_JVM::of,
        progress,
        ParquetFooter::read,
        ParquetLibrary.rows(),
        StopSignal.NEVER);
  }

  /** More threads than connections would wait for a connection, and some would time out. */
  int connections() {
    String key = new BucketOptions(conf, bucket).key(CONNECTIONS);
    return Math.max(1, conf.getInt(key, CONNECTIONS_AT_LEAST));
  }

  EngineSettings engineSettings() throws InvalidConfigException {
    return new EngineSettings(
        settings.readers(),
        settings.choice(Setting.CONFLICT).equals("fail")
            ? ConflictPolicy.FAIL
            : ConflictPolicy.LAST_WRITER,
        settings.millis(Setting.HEARTBEAT),
        settings.millis(Setting.LEASE),
        settings.millis(Setting.DRAIN),
        settings.retryPolicy(),
        settings.count(Setting.CHECKPOINT_EVERY),
        settings.count(Setting.DELTA_CHECKPOINT_EVERY),
        settings.millis(Setting.HISTORY_RETENTION),
        settings.locations(Setting.LOCATIONS_ALLOWED, SettingErrors::allowedNamesNoFolder),
        settings.followers());
  }

  UploadResources uploadResources() throws InvalidConfigException {
    SharedUploads shared =
        SharedUploads.ofJvm(
            Math.min(settings.count(Setting.UPLOAD_THREADS), connections()),
            settings.uploadMemory());
    RequestRetry retry = new RequestRetry(settings.retryPolicy());
    try {
      return new UploadResources(
          store(),
          shared.pool(),
          shared.memory(),
          retry,
          settings.parts(bucket),
          settings.wantedFacts());
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigException(e.getMessage());
    }
  }

  private static String nonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
