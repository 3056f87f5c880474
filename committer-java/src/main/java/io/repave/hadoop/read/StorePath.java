package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;

/**
 * A place as Hadoop writes it, and back, without loss: {@code scheme://bucket/key}, where the key
 * may hold spaces, {@code %}, {@code :} and {@code +} as they are. {@code version} is that of a
 * pinned path ({@code table/@v42/dt=1}), whose {@code table} is the part before it; otherwise
 * {@link #LATEST}.
 */
public record StorePath(Location at, long version, Location table) {
  /** The version of a path without a pin. */
  public static final long LATEST = -1;

  private static final Pattern PIN = Pattern.compile("(?:(.*)/)?@v(\\d{1,18})(?:/(.*))?");

  /** Takes an absolute path apart, pin included. */
  public static StorePath of(Path path) {
    Location at = location(path);
    Matcher pin = PIN.matcher(at.key());
    if (!pin.matches()) {
      return new StorePath(at, LATEST, at);
    }
    Location table = new Location(at.bucket(), pin.group(1) == null ? "" : pin.group(1));
    Location place = pin.group(3) == null ? table : table.resolve(pin.group(3));
    return new StorePath(place, Long.parseLong(pin.group(2)), table);
  }

  /** The place that a path names, letter by letter; a path without a bucket is refused. */
  public static Location location(Path path) {
    URI uri = path.toUri();
    if (uri.getAuthority() == null) {
      throw new IllegalArgumentException(path + " names no bucket, as in s3a://bucket/folder.");
    }
    return new Location(uri.getAuthority(), trimmed(uri.getPath()));
  }

  public boolean isPinned() {
    return version != LATEST;
  }

  /** The same place in another file system, without a pin. */
  public static Path path(String scheme, Location at) {
    return new Path(text(scheme, at));
  }

  /** The path as text, which every Hadoop and Spark reads back as the same key. */
  public static String text(String scheme, Location at) {
    return scheme + "://" + at.bucket() + "/" + at.key();
  }

  /** This table's place under a pin. */
  public static Path pinned(String scheme, Location table, long version, String relative) {
    Location root = table.resolve("@v" + version);
    return path(scheme, relative.isEmpty() ? root : root.resolve(relative));
  }

  private static String trimmed(String path) {
    int from = path.startsWith("/") ? 1 : 0;
    int to = path.endsWith("/") && path.length() > from ? path.length() - 1 : path.length();
    return path.substring(from, to);
  }
}
