package io.repave.hadoop.read;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * A moment in a path: {@code 2026-11-20}, {@code 2026-11-20T03:00} or {@code …T03:00:00+01:00}.
 * {@code text} is as the user wrote it.
 */
public record Moment(String text, Instant instant) {
  private static final String DATE = "\\d{4}-\\d{2}-\\d{2}";
  private static final String TIME = "T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?";
  private static final String ZONE = "Z|[+-]\\d{2}:\\d{2}";

  /** What a moment looks like; a folder with such a name after its {@code @} is a moment. */
  static final String FORM = DATE + "(?:" + TIME + "(?:" + ZONE + ")?)?";

  /** Without a time of day it is midnight, and without a time zone it is in UTC. */
  static Moment parse(String text) {
    return new Moment(text, instant(text));
  }

  private static Instant instant(String text) {
    try {
      if (text.indexOf('T') < 0) {
        return LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
      }
      String time = text.substring(text.indexOf('T'));
      boolean hasZone = time.endsWith("Z") || time.indexOf('+') > 0 || time.indexOf('-') > 0;
      return hasZone
          ? OffsetDateTime.parse(text).toInstant()
          : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      throw ReadErrors.noMoment(text, e);
    }
  }
}
