package io.repave.core.record;

import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Identifies a commit: a unique id, which is part of the names of its files, and the time when it
 * began, so that the folders of commits sort by time.
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
    return folderSince(startedMillis) + "-" + id;
  }

  /** Folders of commits that began at this time or later sort after it. */
  public static String folderSince(long millis) {
    return UTC.format(Instant.ofEpochMilli(millis));
  }

  /** The commit of a folder with this name; empty for a folder of something else. */
  public static Optional<CommitId> find(String folder) {
    try {
      return Optional.of(parse(folder));
    } catch (InvalidRecordException foreign) {
      return Optional.empty();
    }
  }

  /** Parses the name of a folder. */
  public static CommitId parse(String folder) throws InvalidRecordException {
    var parts = FOLDER.matcher(folder);
    if (!parts.matches() || !ID.matcher(parts.group(2)).matches()) {
      throw FormatErrors.badCommit(folder);
    }
    try {
      long started = Instant.from(UTC.parse(parts.group(1))).toEpochMilli();
      return new CommitId(parts.group(2), started);
    } catch (java.time.DateTimeException e) {
      throw FormatErrors.badCommitDate(folder, e);
    }
  }
}
