package io.repave.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File systems for who turned Hadoop's cache off ({@code fs.s3a.impl.disable.cache}). Each one has
 * threads and connections, and a task cannot close its own: uploads that are given up go on behind
 * it. So those who ask with the same settings share one, and it is closed when all are gone.
 *
 * <p>Hadoop's cache looks at the user alone. Here other settings, such as other credentials, make
 * another file system: that is what the cache is turned off for.
 */
final class SharedFileSystems {
  static final SharedFileSystems OF_JVM = new SharedFileSystems();

  private static final Logger LOG = LoggerFactory.getLogger(SharedFileSystems.class);
  private static final Cleaner CLEANER = Cleaner.create();

  /**
   * What a file system may depend on; what a job or a task adds to a configuration is elsewhere.
   */
  private static final List<String> PREFIXES = List.of("fs.", "hadoop.");

  private final Map<Key, WeakReference<Share>> open = new HashMap<>();

  private record Key(URI uri, UserGroupInformation user, Map<String, String> settings) {}

  /** A file system for as long as somebody holds this. */
  static final class Share {
    private final FileSystem files;

    Share(FileSystem files) {
      this.files = files;
    }

    FileSystem files() {
      return files;
    }
  }

  static boolean isCacheOff(URI uri, Configuration conf) {
    return conf.getBoolean("fs." + uri.getScheme() + ".impl.disable.cache", false);
  }

  synchronized Share of(URI uri, Configuration conf) throws IOException {
    Key key = new Key(uri, UserGroupInformation.getCurrentUser(), settings(conf));
    WeakReference<Share> known = open.get(key);
    Share share = known == null ? null : known.get();
    if (share == null) {
      FileSystem files = FileSystem.get(uri, conf);
      share = new Share(files);
      open.put(key, new WeakReference<>(share));
      CLEANER.register(share, () -> close(key, files));
    }
    return share;
  }

  private static Map<String, String> settings(Configuration conf) {
    Map<String, String> settings = new HashMap<>();
    for (String prefix : PREFIXES) {
      conf.getPropsWithPrefix(prefix).forEach((name, value) -> settings.put(prefix + name, value));
    }
    return settings;
  }

  private void close(Key key, FileSystem files) {
    synchronized (this) {
      // A newer share of the same key stays.
      open.computeIfPresent(key, (same, share) -> share.get() == null ? null : share);
    }
    try {
      files.close();
    } catch (IOException | UncheckedIOException e) {
      LOG.debug("The file system {} was not closed.", key.uri(), e);
    }
  }
}
