package io.repave.hadoop.footer;

import java.util.ArrayList;
import java.util.List;

/**
 * An element of a Parquet schema: a column, or a group of {@code children} that follow it.
 *
 * @param type the number of the physical type; -1 for a group
 * @param length the size of a value of fixed length
 * @param adjusted whether a timestamp means an instant
 */
record ParquetColumn(
    String name,
    int type,
    int length,
    int repetition,
    int children,
    Annotation annotation,
    int scale,
    int precision,
    boolean adjusted) {
  /** Many times what fits into a schema that is recorded. */
  static final int ELEMENTS_MAX = 1 << 15;

  static final int BOOLEAN = 0;
  static final int INT32 = 1;
  static final int INT64 = 2;
  static final int INT96 = 3;
  static final int FLOAT = 4;
  static final int DOUBLE = 5;
  static final int BYTE_ARRAY = 6;
  static final int FIXED = 7;

  static final int REQUIRED = 0;
  static final int REPEATED = 2;

  /** What a value means. {@code OTHER} is not known here. */
  enum Annotation {
    NONE,
    TEXT,
    MAP,
    LIST,
    DECIMAL,
    DATE,
    MILLIS,
    MICROS,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    OTHER
  }

  boolean isGroup() {
    return type < 0;
  }

  boolean isRequired() {
    return repetition == REQUIRED;
  }

  boolean isRepeated() {
    return repetition == REPEATED;
  }

  /** Reads the list of a schema's elements, which is the value of the current field. */
  static List<ParquetColumn> readAll(CompactThrift thrift) throws CompactThrift.DamagedException {
    List<ParquetColumn> columns = new ArrayList<>();
    ParquetElement[] element = new ParquetElement[1];
    thrift.structs(
        ELEMENTS_MAX,
        () -> element[0] = new ParquetElement(thrift),
        field -> element[0].read(field),
        () -> columns.add(element[0].column()));
    return columns;
  }
}
