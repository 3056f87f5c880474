package io.repave.hadoop;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.Ports;
import io.repave.core.engine.Progress;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.upload.Retry;
import io.repave.hadoop.upload.SharedUploads;
import io.repave.hadoop.upload.Transfers;
import io.repave.s3.BoundedFan;
import io.repave.s3.Capabilities;
import io.repave.s3.CapabilityProbe;
import io.repave.s3.S3Stores;
import io.repave.s3.SystemClock;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/**
 * The wiring: the S3 store over the file systems that Hadoop is configured with for one scheme, and
 * everything else that the engine and the uploads ask for.
 */
final class StoreAccess {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int NONCE_BYTES = 16;
  private static final String PREFIX = "fs.s3a.";
  private static final String CONNECTIONS = "connection.maximum";

  /** What Hadoop 3.3 allows; newer ones allow more, and name the number in their defaults. */
  private static final int CONNECTIONS_AT_LEAST = 96;

  /** By bucket: its file system has connections of its own. */
  private static final Map<String, BoundedFan> COMMIT_FANS = new ConcurrentHashMap<>();

  private final Configuration conf;
  private final String scheme;
  private final String bucket;
  private final RepaveSettings settings;

  /** Held so that nothing is closed while a store made here is in use. */
  private final Queue<SharedFileSystems.Share> shares = new ConcurrentLinkedQueue<>();

  /** For tables in this bucket, whose partitions may be in others. */
  StoreAccess(Configuration conf, String scheme, String bucket) {
    this.conf = conf;
    this.scheme = scheme;
    this.bucket = bucket;
    settings = new RepaveSettings(conf);
  }

  ObjectStore store() throws InvalidConfigException {
    return settings.isOn(Setting.SINGLE_WRITER)
        ? S3Stores.openForSingleWriter(this::files)
        : S3Stores.open(this::files);
  }

  /** For who begins a table: refuses a store on which commits would lose or double rows. */
  ObjectStore guardedStore() throws InvalidConfigException {
    return settings.isOn(Setting.SINGLE_WRITER)
        ? S3Stores.openGuardedForSingleWriter(this::files)
        : S3Stores.openGuarded(this::files);
  }

  private FileSystem files(String name) throws IOException {
    URI uri = URI.create(scheme + "://" + name);
    try {
      if (!SharedFileSystems.isCacheOff(uri, conf)) {
        return FileSystem.get(uri, conf);
      }
      SharedFileSystems.Share share = SharedFileSystems.OF_JVM.of(uri, conf);
      shares.add(share);
      return share.files();
    } catch (UnsupportedFileSystemException e) {
      throw new IOException(
          e.getMessage()
              + ". Set fs."
              + scheme
              + ".impl to org.apache.hadoop.fs.s3a.S3AFileSystem, or take "
              + scheme
              + " out of repave.schemes",
          e);
    }
  }

  /** What a store can do, tried below a table's records. */
  StoreFindings tryOut(Location records) throws IOException, InterruptedException {
    Capabilities seen = new CapabilityProbe(S3Stores.open(this::files), records).run();
    return new StoreFindings(seen.isSafe(), seen.missing());
  }

  Ports ports(ObjectStore store, Progress progress) throws InvalidConfigException {
    int threads = Math.min(settings.count(Setting.COMMIT_THREADS), connections());
    ParallelRunner fan =
        COMMIT_FANS.computeIfAbsent(bucket, name -> new BoundedFan("repave-commit", threads));
    return new Ports(
        store, new SystemClock(), StoreAccess::nonce, fan, TemporaryFile::new, progress);
  }

  /** More threads than the connector has connections would wait for one, and some in vain. */
  int connections() {
    int ofAll = conf.getInt(PREFIX + CONNECTIONS, CONNECTIONS_AT_LEAST);
    return Math.max(1, conf.getInt(PREFIX + "bucket." + bucket + "." + CONNECTIONS, ofAll));
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
        settings.millis(Setting.HISTORY_RETENTION),
        allowed());
  }

  Transfers transfers() throws InvalidConfigException {
    SharedUploads shared =
        SharedUploads.ofJvm(
            Math.min(settings.count(Setting.UPLOAD_THREADS), connections()),
            settings.uploadMemory());
    Retry retry = new Retry(settings.retryPolicy());
    try {
      return new Transfers(store(), shared.pool(), shared.memory(), retry, settings.parts());
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigException(e.getMessage());
    }
  }

  private List<Location> allowed() throws InvalidConfigException {
    List<Location> places = new ArrayList<>();
    for (String each : settings.list(Setting.LOCATIONS_ALLOWED)) {
      try {
        places.add(StorePath.location(new Path(each)));
      } catch (IllegalArgumentException e) {
        throw new InvalidConfigException(
            "repave.locations.allowed names '" + each + "', which is not like s3://bucket/folder.");
      }
    }
    return places;
  }

  private static String nonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
