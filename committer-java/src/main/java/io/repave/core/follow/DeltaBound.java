package io.repave.core.follow;

import com.fasterxml.jackson.core.JsonGenerator;
import io.repave.core.ledger.ColumnBounds;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A bound of a column as a Delta log writes it: a JSON number, or a text.
 *
 * @param isNumber false for a text
 */
record DeltaBound(String text, boolean isNumber) {
  /** A reader that parses numbers as doubles keeps this many digits. */
  private static final int DIGITS_MAX = 15;

  private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]{0,18})");
  private static final Pattern DECIMAL = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?");
  private static final Pattern FLOATING =
      Pattern.compile("-?(0|[1-9][0-9]*)\\.[0-9]+(E-?[0-9]{1,3})?");
  private static final Pattern ZERO = Pattern.compile("-?0\\.0");
  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT);
  private static final int YEAR_LAST = 9999;

  static DeltaBound number(String text) {
    return new DeltaBound(text, true);
  }

  void write(JsonGenerator json) throws IOException {
    if (isNumber) {
      json.writeNumber(text);
    } else {
      json.writeString(text);
    }
  }

  static Optional<DeltaBound> low(ColumnBounds column) {
    return column
        .low()
        .flatMap(
            it -> column.type().equals("timestamp") ? millis(it, false) : of(column.type(), it));
  }

  /** Readers that know that writers cut a time to milliseconds add one to it; others do not. */
  static Optional<DeltaBound> high(ColumnBounds column) {
    return column
        .high()
        .flatMap(
            it -> column.type().equals("timestamp") ? millis(it, true) : of(column.type(), it));
  }

  private static Optional<DeltaBound> of(String type, String value) {
    return switch (type) {
      case "byte", "short", "integer", "long" -> number(value, WHOLE);
      // The bound is -0.0 or 0.0 whichever the column has, and a reader may show it as a minimum.
      case "float", "double" ->
          number(value, FLOATING).filter(it -> !ZERO.matcher(value).matches());
      case "string" -> Optional.of(new DeltaBound(value, false));
      case "date" -> day(value);
      default -> type.startsWith("decimal(") ? decimal(value) : Optional.empty();
    };
  }

  private static Optional<DeltaBound> number(String value, Pattern form) {
    return form.matcher(value).matches() ? Optional.of(number(value)) : Optional.empty();
  }

  private static Optional<DeltaBound> decimal(String value) {
    long digits = value.chars().filter(Character::isDigit).count();
    return digits <= DIGITS_MAX ? number(value, DECIMAL) : Optional.empty();
  }

  private static Optional<DeltaBound> day(String value) {
    try {
      return Optional.of(new DeltaBound(LocalDate.parse(value).toString(), false));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Rounds a time away from the values: a log has milliseconds, and the files microseconds. */
  private static Optional<DeltaBound> millis(String value, boolean up) {
    if (!value.endsWith("Z")) {
      return Optional.empty();
    }
    try {
      LocalDateTime time = LocalDateTime.parse(value.substring(0, value.length() - 1));
      LocalDateTime cut = time.truncatedTo(ChronoUnit.MILLIS);
      LocalDateTime bound = up && cut.isBefore(time) ? cut.plus(1, ChronoUnit.MILLIS) : cut;
      return bound.getYear() > YEAR_LAST
          ? Optional.empty()
          : Optional.of(new DeltaBound(MILLIS.format(bound), false));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
