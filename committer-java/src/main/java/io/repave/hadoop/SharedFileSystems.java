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
 * File systems for users who turned off Hadoop's cache ({@code fs.s3a.impl.disable.cache}). Each
 * has threads and connections, and a task cannot close its own, because aborted uploads may still
 * use it. So all users with the same settings share one, which is closed when no one uses it.
 *
 * <p>Hadoop's cache distinguishes file systems by their user only. Here other settings, such as
 * other credentials, also give another file system; that is why people turn off the cache.
 */
final class SharedFileSystems {
  static final SharedFileSystems OF_JVM = new SharedFileSystems();

  private static final Logger LOG = LoggerFactory.getLogger(SharedFileSystems.class);
  private static final Cleaner CLEANER = Cleaner.create();

  /** Prefixes of the settings of a file system. Settings of a job or a task have other ones. */
  private static final List<String> PREFIXES = List.of("fs.", "hadoop.");

  private final Map<Key, WeakReference<Share>> open = new HashMap<>();

  private record Key(URI uri, UserGroupInformation user, Map<String, String> settings) {}

  /** Keeps a file system open for as long as this object is reachable. */
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
      // Keep a newer share with the same key.
      open.computeIfPresent(key, (same, share) -> share.get() == null ? null : share);
    }
    try {
      files.close();
    } catch (IOException | UncheckedIOException e) {
      LOG.debug("Could not close the file system {}.", key.uri(), e);
    }
  }
}
