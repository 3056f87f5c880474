package io.repave.spark.plan;

import io.repave.core.ledger.Schema;
import java.util.Optional;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * The schema that Spark would infer from the footer of a table's first file, from the records.
 * Parquet only.
 *
 * <p>A file of Spark has its row type in the footer, and the records have the same text. For a file
 * of another writer Spark converts the columns: the records have the result, except where settings
 * decide about it. Those types are left to Spark.
 */
final class RecordedSchema {
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
    return ColumnTypes.PLAIN.hasAllOf(type) && type instanceof StructType struct
        ? Optional.of(struct)
        : Optional.empty();
  }
}
