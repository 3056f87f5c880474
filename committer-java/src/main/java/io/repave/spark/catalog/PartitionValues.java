package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;

/**
 * The values of partitions as a catalog's table reads them: a folder's text in the type of the
 * column. Spark casts the text when it plans a query. A cast of a text of another type fails on
 * Spark 4, and gives null, or a part of the value, on Spark 3.5.
 */
final class PartitionValues {
  private static final Pattern TRUTH = Pattern.compile("(?i)t|true|y|yes|1|f|false|n|no|0");
  private static final Pattern DAY =
      Pattern.compile("([+-]?[0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?");
  private static final Pattern MIDNIGHT = Pattern.compile("[ T]00:00(:00(\\.0+)?)?$");
  private static final Pattern TIME =
      Pattern.compile(
          "[ T]([01]?[0-9]|2[0-3])(:[0-5]?[0-9](:[0-5]?[0-9](\\.[0-9]+)?)?)?( ?[A-Za-z+-]\\S*)?$");

  private final CatalogTable table;
  private final String name;
  private final List<?> columns;

  PartitionValues(CatalogTable table, List<?> columns) {
    this.table = table;
    this.name = table.identifier().database().get() + "." + table.identifier().table();
    this.columns = columns;
  }

  /**
   * Refuses new folders whose values, in the order of the columns, are not of the columns' types. A
   * partition that the catalog has already is left alone: its readers may rely on it.
   */
  void requireOfTheirTypes(Map<List<String>, String> folders, Set<List<String>> known)
      throws InvalidConfigException {
    for (int i = 0; i < columns.size(); i++) {
      String column = columns.get(i).toString();
      DataType type = type(column);
      for (Map.Entry<List<String>, String> each : folders.entrySet()) {
        String value = each.getKey().get(i);
        if (!known.contains(each.getKey()) && !isOf(type, value)) {
          throw CatalogErrors.otherPartitionType(
              name, each.getValue(), column, value, type.simpleString());
        }
      }
    }
  }

  /** A table without such a column in its schema counts as one of texts. */
  private DataType type(String column) {
    return Stream.of(table.schema().fields())
        .filter(it -> it.name().equalsIgnoreCase(column))
        .map(StructField::dataType)
        .findFirst()
        .orElse(DataTypes.StringType);
  }

  private static boolean isOf(DataType type, String value) {
    if (value.equals(ExternalCatalogUtils.DEFAULT_PARTITION_NAME())) {
      return true;
    }
    // A value that cannot be read throws.
    try {
      // Of a type that is not here, every text counts as a value.
      return switch (type.typeName()) {
        case "byte" -> bits(value) < Byte.SIZE;
        case "short" -> bits(value) < Short.SIZE;
        case "integer" -> bits(value) < Integer.SIZE;
        case "long" -> bits(value) < Long.SIZE;
        case "float", "double" -> isNumber(value);
        case "boolean" -> TRUTH.matcher(value).matches();
        // A cast to a date leaves a time of day out, so a text with one is no date.
        case "date" -> isDay(MIDNIGHT.matcher(value).replaceFirst(""));
        case "timestamp" -> isDay(TIME.matcher(value).replaceFirst(""));
        default -> !(type instanceof DecimalType decimal) || fits(decimal, new BigDecimal(value));
      };
    } catch (NumberFormatException | DateTimeException notOfTheType) {
      return false;
    }
  }

  private static boolean isNumber(String value) {
    Double.parseDouble(value);
    return true;
  }

  private static int bits(String value) {
    return new BigInteger(value).bitLength();
  }

  /** A year, a month or a day; it has to be in the calendar. */
  private static boolean isDay(String value) {
    Matcher parts = DAY.matcher(value);
    if (!parts.matches()) {
      return false;
    }
    LocalDate.of(number(parts, 1), number(parts, 2), number(parts, 3));
    return true;
  }

  private static int number(Matcher parts, int group) {
    return parts.group(group) == null ? 1 : Integer.parseInt(parts.group(group));
  }

  private static boolean fits(DecimalType type, BigDecimal value) {
    BigDecimal exact = value.stripTrailingZeros();
    int whole = exact.precision() - exact.scale();
    return exact.signum() == 0
        || whole <= type.precision() - type.scale() && exact.scale() <= type.scale();
  }
}
