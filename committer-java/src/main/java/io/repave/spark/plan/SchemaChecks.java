package io.repave.spark.plan;

import java.util.stream.Stream;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.SchemaUtils$;

/**
 * The checks that Spark makes of the columns of a listed path. A schema that does not pass is left
 * to Spark, which says what is wrong with it.
 */
final class SchemaChecks {
  private final FileFormat format;
  private final SQLConf conf;

  SchemaChecks(FileFormat format, SQLConf conf) {
    this.format = format;
    this.conf = conf;
  }

  /** Whether Spark reads files with these columns in these partitions. */
  boolean pass(StructType columns, StructType partitions) {
    return areDistinct(columns) && areDistinct(partitions) && areReadable(columns);
  }

  private boolean areDistinct(StructType columns) {
    try {
      SchemaUtils$.MODULE$.checkSchemaColumnNameDuplication(columns, conf.resolver());
      return true;
    } catch (Exception collision) { // Scala does not declare Spark's AnalysisException.
      return false;
    }
  }

  private boolean areReadable(StructType columns) {
    return ColumnTypes.OF_SPARK_4.hasAllOf(columns)
        && Stream.of(columns.fields()).map(StructField::dataType).allMatch(format::supportDataType);
  }
}
