package io.repave.hadoop.footer;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/** Days and times as text; those outside the years 1 to 9999 are unknown. */
final class StatisticTimes {
  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS", Locale.ROOT);
  private static final long SECOND = 1_000_000;

  /** The first second of the year 1, and that of the year 10000. */
  private static final long FIRST = -62_135_596_800L;

  private static final long END = 253_402_300_800L;

  private StatisticTimes() {}

  static Optional<String> day(Integer day) {
    long second = day * 86_400L;
    return second < FIRST || second >= END
        ? Optional.empty()
        : Optional.of(LocalDate.ofEpochDay(day).toString());
  }

  static Optional<String> millis(Long millis, boolean instant) {
    long second = Math.floorDiv(millis, 1_000L);
    return time(second, Math.floorMod(millis, 1_000L) * 1_000, instant);
  }

  static Optional<String> micros(Long micros, boolean instant) {
    return time(Math.floorDiv(micros, SECOND), Math.floorMod(micros, SECOND), instant);
  }

  private static Optional<String> time(long second, long micros, boolean instant) {
    if (second < FIRST || second >= END) {
      return Optional.empty();
    }
    LocalDateTime time = LocalDateTime.ofEpochSecond(second, (int) micros * 1_000, ZoneOffset.UTC);
    return Optional.of(LOCAL.format(time) + (instant ? "Z" : ""));
  }
}
