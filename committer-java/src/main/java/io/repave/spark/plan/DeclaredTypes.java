package io.repave.spark.plan;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/**
 * The types of partition columns that Spark does not infer: those in the user's schema, and text if
 * the session switches the inference off.
 */
final class DeclaredTypes {
  /** Empty for a name that several columns have. */
  private final Map<String, Optional<StructField>> columns = new HashMap<>();

  private final boolean isCaseSensitive;
  private final boolean infersOthers;

  /**
   * The types of a read.
   *
   * @param given the user's schema
   * @param isCaseSensitive whether names that differ in case are different
   * @param infersOthers whether Spark infers the types of other columns
   */
  DeclaredTypes(Option<StructType> given, boolean isCaseSensitive, boolean infersOthers) {
    this.isCaseSensitive = isCaseSensitive;
    this.infersOthers = infersOthers;
    if (given.isDefined()) {
      for (StructField column : given.get().fields()) {
        columns.merge(key(column.name()), Optional.of(column), (one, other) -> Optional.empty());
      }
    }
  }

  static DeclaredTypes of(Option<StructType> given, SQLConf conf) {
    return new DeclaredTypes(
        given, conf.caseSensitiveAnalysis(), conf.partitionColumnTypeInferenceEnabled());
  }

  /** True if the user's schema has this column. */
  boolean has(String column) {
    return columns.containsKey(key(column));
  }

  /** The type in the user's schema. Empty if Spark has to look at each value. */
  Optional<PlainType> plainType(String column) {
    return columns
        .getOrDefault(key(column), Optional.empty())
        .map(StructField::dataType)
        .flatMap(PlainType::of);
  }

  /** The type that such a value gives to a column which the user's schema does not have. */
  Optional<PlainType> inferred(String value) {
    return infersOthers ? PlainType.of(value) : Optional.of(PlainType.TEXT);
  }

  /** The column's name in the result. The user's spelling counts if case does not. */
  String name(String column) {
    return isCaseSensitive
        ? column
        : columns.getOrDefault(key(column), Optional.empty()).map(StructField::name).orElse(column);
  }

  private String key(String column) {
    return isCaseSensitive ? column : column.toLowerCase(Locale.ROOT);
  }
}
