package io.repave.core.record;

import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import java.nio.charset.StandardCharsets;

/**
 * Checks the names in records. Records are hostile input: with a name that points outside its
 * partition or into {@code _repave/}, a person who can write one file could delete any other.
 */
public final class RecordNames {
  /** The folder of all records, inside the table. */
  public static final String FOLDER = "_repave";

  private static final String ABSOLUTE = "s3://";

  /** A finished commit's marker. Finishing overwrites it, so no data file may have its name. */
  public static final String MARKER = "_SUCCESS";

  /** The most bytes that S3 accepts for a key. */
  public static final int KEY_BYTES_MAX = 1024;

  private RecordNames() {}

  /** True for a partition outside the table's folder. */
  public static boolean isOutside(String partition) {
    return partition.startsWith(ABSOLUTE);
  }

  /** Refuses a partition that is neither a folder inside the table nor an absolute one. */
  public static String checkPartition(String partition, String where)
      throws InvalidRecordException {
    if (isOutside(partition)) {
      String rest = partition.substring(ABSOLUTE.length());
      int slash = rest.indexOf('/');
      if (slash < 1) {
        throw FormatErrors.badName(where, partition);
      }
      checkPath(rest.substring(slash + 1), where);
    } else if (!partition.isEmpty()) {
      checkPath(partition, where);
    }
    return partition;
  }

  /** Refuses a path, relative to a partition, that could point outside the partition. */
  public static String checkPath(String path, String where) throws InvalidRecordException {
    int start = 0;
    while (start <= path.length()) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      checkSegment(path.substring(start, end), path, where);
      start = end + 1;
    }
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    // Half of a surrogate pair becomes a question mark: the key of another file.
    boolean same = new String(bytes, StandardCharsets.UTF_8).equals(path);
    if (bytes.length > KEY_BYTES_MAX || !same) {
      throw FormatErrors.badName(where, path);
    }
    return path;
  }

  /** Refuses the path of a success marker that could be another file; "" is none. */
  static String checkMarker(String path, String where) throws InvalidRecordException {
    if (!path.isEmpty()) {
      checkPath(path, where);
      if (!MARKER.equals(path.substring(path.lastIndexOf('/') + 1))) {
        throw FormatErrors.badName(where, path);
      }
    }
    return path;
  }

  /** Refuses the name of a file that is not a plain name. */
  public static String checkName(String name, String where) throws InvalidRecordException {
    if (name.indexOf('/') >= 0) {
      throw FormatErrors.badName(where, name);
    }
    return checkPath(name, where);
  }

  private static void checkSegment(String segment, String path, String where)
      throws InvalidRecordException {
    if (segment.isEmpty()
        || segment.equals(".")
        || segment.equals("..")
        || segment.equals(FOLDER)
        || segment.indexOf('\0') >= 0) {
      throw FormatErrors.badName(where, path);
    }
  }
}
