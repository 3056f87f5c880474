package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;

/**
 * Converts between locations and Hadoop's paths, {@code scheme://bucket/key}, without loss: the key
 * may contain spaces, {@code %}, {@code :} and {@code +}. A pinned path such as {@code
 * table/@v42/dt=1} names a {@code version}, and the {@code table} is the part before it. A path
 * such as {@code table/@2026-11-20T03:00Z/dt=1} names a {@code moment} instead, and so the version
 * that was the newest then. For other paths the version is {@link #LATEST}. A pin that a listing
 * made, {@code @v42-0123456789ab}, also has the {@code fingerprint} of the table's id, which zeros
 * may follow; otherwise that is "".
 */
public record StorePath(
    Location at, long version, Location table, String fingerprint, Optional<Moment> moment) {
  /** The version of a path that is not pinned. */
  public static final long LATEST = -1;

  private static final Pattern PIN =
      Pattern.compile(
          "(?:(.*)/)?@(?:v(0|[1-9]\\d{0,17})(?:-([0-9a-f]{12}0*))?|("
              + Moment.FORM
              + "))(?:/(.*))?");

  /** A path without a moment. */
  public StorePath(Location at, long version, Location table, String fingerprint) {
    this(at, version, table, fingerprint, Optional.empty());
  }

  /** A path without a fingerprint. */
  public StorePath(Location at, long version, Location table) {
    this(at, version, table, "");
  }

  /** Parses an absolute path, with or without a version. */
  public static StorePath of(Path path) {
    Location at = location(path);
    Matcher pin = PIN.matcher(at.key());
    if (!pin.matches()) {
      return new StorePath(at, LATEST, at);
    }
    Location table = new Location(at.bucket(), pin.group(1) == null ? "" : pin.group(1));
    Location place = pin.group(5) == null ? table : table.resolve(pin.group(5));
    if (pin.group(2) == null) {
      return new StorePath(place, LATEST, table, "", Optional.of(Moment.parse(pin.group(4))));
    }
    String fingerprint = pin.group(3) == null ? "" : pin.group(3);
    return new StorePath(place, Long.parseLong(pin.group(2)), table, fingerprint);
  }

  /** The location that a path names, character by character. Refuses a path without a bucket. */
  public static Location location(Path path) {
    URI uri = path.toUri();
    if (uri.getAuthority() == null) {
      throw ReadErrors.noBucket(path);
    }
    return new Location(uri.getAuthority(), trimmed(uri.getPath()));
  }

  /** Whether the last folder has the name of a version, so that its path shows the one above. */
  public static boolean isOfVersion(Location folder) {
    Matcher pin = PIN.matcher(folder.key());
    return pin.matches() && pin.group(5) == null;
  }

  /** Whether the path names a version, by its number or by a moment. */
  public boolean isPinned() {
    return version != LATEST || moment.isPresent();
  }

  /** True for a path that a listing returned: it names a version of exactly one table. */
  public boolean isExact() {
    return !fingerprint.isEmpty();
  }

  /** The same location in another file system, not pinned. */
  public static Path path(String scheme, Location at) {
    return new Path(text(scheme, at));
  }

  /** The path as text. Every release of Hadoop and Spark parses it to the same key. */
  public static String text(String scheme, Location at) {
    return scheme + "://" + at.bucket() + "/" + at.key();
  }

  /** A location inside a table, pinned to a version. */
  static Path pinned(String scheme, TableVersion version, String relative) {
    Location root = version.table().resolve("@" + version.pin());
    return path(scheme, relative.isEmpty() ? root : root.resolve(relative));
  }

  /** Where a pattern has its first special character; -1 for a path that is no pattern. */
  public static int firstSpecial(String pattern) {
    for (int i = 0; i < pattern.length(); i++) {
      if ("*?[{\\".indexOf(pattern.charAt(i)) >= 0) {
        return i;
      }
    }
    return -1;
  }

  private static String trimmed(String path) {
    int from = path.startsWith("/") ? 1 : 0;
    int to = path.endsWith("/") && path.length() > from ? path.length() - 1 : path.length();
    return path.substring(from, to);
  }
}
