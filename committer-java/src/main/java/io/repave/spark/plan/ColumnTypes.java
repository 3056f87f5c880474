package io.repave.spark.plan;

import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
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
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.VariantType;
import scala.runtime.AbstractFunction1;

/** Sets of types of columns. */
enum ColumnTypes {
  /** Not among them: binary columns, which may be texts, and timestamps without a time zone. */
  PLAIN(
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
          StructType.class)),

  /** What every Spark 4 reads. Later ones have types that a setting switches on, such as TIME. */
  OF_SPARK_4(PLAIN, Set.of(BinaryType.class, TimestampNTZType.class, VariantType.class));

  private final Set<Class<? extends DataType>> types;

  ColumnTypes(Set<Class<? extends DataType>> types) {
    this.types = types;
  }

  ColumnTypes(ColumnTypes some, Set<Class<? extends DataType>> more) {
    this.types = new HashSet<>(some.types);
    this.types.addAll(more);
  }

  /** Whether the type, and every type inside it, is in this set. */
  boolean hasAllOf(DataType type) {
    return !type.existsRecursively(
        new AbstractFunction1<DataType, Object>() {
          @Override
          public Object apply(DataType part) {
            return types.stream().noneMatch(known -> known.isInstance(part));
          }
        });
  }
}
