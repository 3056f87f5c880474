package io.repave.spark.plan;

import io.repave.core.ledger.Schema;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import scala.runtime.AbstractFunction1;

/**
 * The schema that Spark would infer from the footer of a table's first file, from the records.
 * Parquet only.
 *
 * <p>A file of Spark has its row type in the footer, and the records have the same text. For a file
 * of another writer Spark converts the columns: the records have the result, except where settings
 * decide about it. Those types are left to Spark.
 */
final class RecordedSchema {
  /** Not among them: binary columns, which may be texts, and timestamps without a time zone. */
  private static final Set<Class<? extends DataType>> PLAIN =
      Set.of(
          BooleanType.class,
          ByteType.class,
          ShortType.class,
          IntegerType.class,
          LongType.class,
          FloatType.class,
          DoubleType.class,
          DecimalType.class,
          StringType.class,
          DateType.class,
          TimestampType.class,
          ArrayType.class,
          MapType.class,
          StructType.class);

  private RecordedSchema() {}

  /** Empty if the records do not say exactly what Spark would infer. */
  static Optional<StructType> of(Optional<Schema> known, FileFormat format, SparkSession session) {
    return known
        .filter(schema -> format.getClass() == ParquetFileFormat.class)
        .filter(schema -> !session.sessionState().conf().isParquetSchemaMergingEnabled())
        .flatMap(schema -> parsed(schema.json()));
  }

  private static Optional<StructType> parsed(String json) {
    DataType type;
    try {
      type = DataType.fromJson(json);
    } catch (RuntimeException e) {
      return Optional.empty();
    }
    boolean isPlain =
        !type.existsRecursively(
            new AbstractFunction1<DataType, Object>() {
              @Override
              public Object apply(DataType part) {
                return PLAIN.stream().noneMatch(known -> known.isInstance(part));
              }
            });
    return isPlain && type instanceof StructType struct ? Optional.of(struct) : Optional.empty();
  }
}
