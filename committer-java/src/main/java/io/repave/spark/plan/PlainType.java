package io.repave.spark.plan;

import java.time.LocalDate;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType$;
import org.apache.spark.sql.types.IntegerType$;
import org.apache.spark.sql.types.LongType$;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.unsafe.types.UTF8String;

/** A type of partition columns, and the values that Spark reads as this type without any doubt. */
enum PlainType {
  NUMBER("-?[0-9]{1,9}", IntegerType$.MODULE$),
  DATE("(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}", DateType$.MODULE$),
  // Java reads NaN and Infinity as numbers.
  WORD("(?!NaN|Infinity)[A-Za-z][^%]*", StringType$.MODULE$),
  /** Only for a column of which it is known that it has this type. */
  LONG("-?[0-9]{1,18}", LongType$.MODULE$),
  /** Only for a column of which it is known that it has this type. */
  TEXT("[^%]+", StringType$.MODULE$);

  private final Pattern form;
  private final DataType type;

  PlainType(String form, DataType type) {
    this.form = Pattern.compile(form, Pattern.DOTALL);
    this.type = type;
  }

  /** The type that Spark infers for a column with such a value, and with others of this type. */
  static Optional<PlainType> of(String value) {
    for (PlainType type : new PlainType[] {NUMBER, DATE, WORD}) {
      if (type.has(value)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /** The values of a column that has this type, whatever its values look like. */
  static Optional<PlainType> of(DataType known) {
    for (PlainType type : new PlainType[] {NUMBER, DATE, LONG, TEXT}) {
      if (type.type.equals(known)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  DataType type() {
    return type;
  }

  boolean has(String value) {
    return form.matcher(value).matches();
  }

  /** The value in a row. Throws a {@link java.time.DateTimeException} for a day that is none. */
  Object parsed(String value) {
    return switch (this) {
      case NUMBER -> Integer.valueOf(value);
      case LONG -> Long.valueOf(value);
      case DATE -> (int) LocalDate.parse(value).toEpochDay();
      case WORD, TEXT -> UTF8String.fromString(value);
    };
  }
}
