package io.repave.testing;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.runtime.SystemClock;
import io.repave.s3.S3Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** The store over an embedded server, with a file system for each bucket that a test names. */
public final class EmbeddedStore implements AutoCloseable {
  private static final String BUCKET = "lake";

  private final EmbeddedS3 server;
  private final Map<String, FileSystem> files = new ConcurrentHashMap<>();
  private final Configuration conf;
  private final AtomicInteger folders = new AtomicInteger();

  private EmbeddedStore(EmbeddedS3 server, Configuration conf) {
    this.server = server;
    this.conf = conf;
  }

  /** Starts the server and makes two buckets. */
  public static EmbeddedStore start(String name) throws IOException {
    EmbeddedS3 server = EmbeddedS3.start(name);
    server.createBucket(BUCKET);
    server.createBucket(BUCKET + "-other");
    Configuration conf = server.configuration(server.endpoint());
    // Asked again once: moto answers 500 now and then when a key is read while it is written. Not
    // more often: its 500 is also its answer for an upload that is gone.
    conf.setInt("fs.s3a.attempts.maximum", 1);
    return new EmbeddedStore(server, conf);
  }

  public ObjectStore store() {
    return S3Stores.open(bucket -> files.computeIfAbsent(bucket, this::files));
  }

  private FileSystem files(String bucket) {
    try {
      return EmbeddedS3.files(bucket, conf);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As the contract wants it, with what the server is known for. */
  public StoreUnderTest underTest(Set<StoreUnderTest.Capability> capabilities) {
    return new StoreUnderTest(
        store(),
        () -> new Location(BUCKET, "folder-" + folders.incrementAndGet()),
        capabilities,
        replay(),
        new SystemClock());
  }

  private Dialect.Replay replay() {
    if (server.status("complete_unknown_upload") == 500) {
      return Dialect.Replay.UNKNOWN;
    }
    return server.status("complete_replay") == 200
        ? Dialect.Replay.SAME_200
        : Dialect.Replay.ABSENT;
  }

  @Override
  public void close() throws IOException {
    for (FileSystem each : files.values()) {
      each.close();
    }
    server.close();
  }
}
