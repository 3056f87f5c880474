package io.repave.core.record;

import io.repave.core.error.InvalidRecordException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Names a commit: a unique id, which is part of every file's name, and when it began, so that the
 * folders of the commits sort by time.
 */
public record CommitId(String id, long startedMillis) {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{7,63}");
  private static final Pattern FOLDER = Pattern.compile("(\\d{8}T\\d{6}\\.\\d{3}Z)-(.+)");
  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  public CommitId {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("not a commit id: '" + id + "'");
    }
  }

  /** The folder of this commit's records under {@code _repave/commits/}. */
  public String folder() {
    return UTC.format(Instant.ofEpochMilli(startedMillis)) + "-" + id;
  }

  /** Reads a folder's name back. */
  public static CommitId parse(String folder) throws InvalidRecordException {
    var parts = FOLDER.matcher(folder);
    if (!parts.matches() || !ID.matcher(parts.group(2)).matches()) {
      throw new InvalidRecordException(
          "A record names a commit '" + folder + "', which no commit is called.");
    }
    try {
      long started = Instant.from(UTC.parse(parts.group(1))).toEpochMilli();
      return new CommitId(parts.group(2), started);
    } catch (java.time.DateTimeException e) {
      throw new InvalidRecordException(
          "A record names a commit '" + folder + "', which has no date.", e);
    }
  }
}
