package io.repave.core.record;

import io.repave.core.error.InvalidRecordException;
import java.nio.charset.StandardCharsets;

/**
 * What names a record may hold. Records are hostile input: a name that left its partition, or
 * pointed into {@code _repave/}, would let whoever can write one file delete any other.
 */
public final class RecordNames {
  /** The folder of all records, inside the table. */
  public static final String FOLDER = "_repave";

  private static final String ELSEWHERE = "s3://";

  /** Bytes that S3 takes for a key. */
  public static final int KEY_BYTES_MAX = 1024;

  private RecordNames() {}

  /** True for the partition of a table that lives outside the table's folder. */
  public static boolean elsewhere(String partition) {
    return partition.startsWith(ELSEWHERE);
  }

  /** Refuses a partition that is neither a folder inside the table nor an absolute one. */
  public static String checkPartition(String partition, String where)
      throws InvalidRecordException {
    if (elsewhere(partition)) {
      String rest = partition.substring(ELSEWHERE.length());
      int slash = rest.indexOf('/');
      if (slash < 1) {
        throw refused(partition, where);
      }
      checkPath(rest.substring(slash + 1), where);
    } else if (!partition.isEmpty()) {
      checkPath(partition, where);
    }
    return partition;
  }

  /** Refuses a path, relative to a partition, that could mean a place outside of it. */
  public static String checkPath(String path, String where) throws InvalidRecordException {
    int start = 0;
    while (start <= path.length()) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      checkSegment(path.substring(start, end), path, where);
      start = end + 1;
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > KEY_BYTES_MAX) {
      throw refused(path, where);
    }
    return path;
  }

  /** Refuses the name of a file that is not a plain name. */
  public static String checkName(String name, String where) throws InvalidRecordException {
    if (name.indexOf('/') >= 0) {
      throw refused(name, where);
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
      throw refused(path, where);
    }
  }

  private static InvalidRecordException refused(String path, String where) {
    String shown = path.length() > 80 ? path.substring(0, 80) + "…" : path;
    return new InvalidRecordException(
        "The record "
            + where
            + " names '"
            + shown
            + "', which is not a place inside this table. Nothing was changed.");
  }
}
