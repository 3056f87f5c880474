package io.repave.hadoop.upload;

import io.repave.hadoop.upload.ParquetColumn.Annotation;

/** Reads a {@code SchemaElement} of a Parquet footer field by field. */
final class ParquetElement {
  /** By the number of {@code ConvertedType}. */
  private static final Annotation[] CONVERTED = {
    Annotation.TEXT, // UTF8
    Annotation.MAP,
    Annotation.OTHER, // MAP_KEY_VALUE
    Annotation.LIST,
    Annotation.TEXT, // ENUM
    Annotation.DECIMAL,
    Annotation.DATE,
    Annotation.OTHER, // TIME_MILLIS
    Annotation.OTHER, // TIME_MICROS
    Annotation.MILLIS,
    Annotation.MICROS,
    Annotation.UINT8,
    Annotation.UINT16,
    Annotation.UINT32,
    Annotation.UINT64,
    Annotation.INT8,
    Annotation.INT16,
    Annotation.INT32,
    Annotation.INT64,
    Annotation.TEXT, // JSON
  };

  private final CompactThrift thrift;
  private String name = "";
  private int type = -1;
  private int length;
  private int repetition;
  private int children;
  private Annotation converted = Annotation.NONE;
  private Annotation logical = Annotation.NONE;
  private int scale;
  private int precision;
  // A timestamp without a logical type means an instant.
  private boolean adjusted = true;
  private int bits;
  private boolean signed;

  ParquetElement(CompactThrift thrift) {
    this.thrift = thrift;
  }

  /** The logical type is newer and says more than the converted type. */
  ParquetColumn column() {
    return new ParquetColumn(
        name,
        type,
        length,
        repetition,
        children,
        logical == Annotation.NONE ? converted : logical,
        scale,
        precision,
        adjusted);
  }

  void read(int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 1 -> type = thrift.small();
      case 2 -> length = thrift.small();
      case 3 -> repetition = thrift.small();
      case 4 -> name = thrift.text();
      case 5 -> children = thrift.small();
      case 6 -> converted = converted(thrift.small());
      case 7 -> scale = thrift.small();
      case 8 -> precision = thrift.small();
      case 10 -> {
        thrift.require(CompactThrift.STRUCT);
        thrift.struct(this::readLogical);
      }
      default -> thrift.skip();
    }
  }

  private static Annotation converted(int number) {
    return number >= 0 && number < CONVERTED.length ? CONVERTED[number] : Annotation.OTHER;
  }

  private void readLogical(int field) throws CompactThrift.DamagedException {
    logical =
        switch (field) {
          case 1, 4, 12 -> Annotation.TEXT;
          case 2 -> Annotation.MAP;
          case 3 -> Annotation.LIST;
          case 5 -> Annotation.DECIMAL;
          case 6 -> Annotation.DATE;
          default -> Annotation.OTHER;
        };
    thrift.require(CompactThrift.STRUCT);
    switch (field) {
      case 5 -> thrift.struct(this::readDecimal);
      case 8 -> thrift.struct(this::readTimestamp);
      case 10 -> {
        thrift.struct(this::readInteger);
        logical = integer();
      }
      default -> thrift.skip();
    }
  }

  private void readDecimal(int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 1 -> scale = thrift.small();
      case 2 -> precision = thrift.small();
      default -> thrift.skip();
    }
  }

  private void readTimestamp(int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 1 -> adjusted = thrift.flag();
      case 2 -> {
        thrift.require(CompactThrift.STRUCT);
        thrift.struct(this::readUnit);
      }
      default -> thrift.skip();
    }
  }

  private void readUnit(int field) throws CompactThrift.DamagedException {
    logical =
        switch (field) {
          case 1 -> Annotation.MILLIS;
          case 2 -> Annotation.MICROS;
          default -> Annotation.OTHER;
        };
    thrift.skip();
  }

  private void readInteger(int field) throws CompactThrift.DamagedException {
    switch (field) {
      case 1 -> bits = thrift.oneByte();
      case 2 -> signed = thrift.flag();
      default -> thrift.skip();
    }
  }

  private Annotation integer() {
    return switch (bits) {
      case 8 -> signed ? Annotation.INT8 : Annotation.UINT8;
      case 16 -> signed ? Annotation.INT16 : Annotation.UINT16;
      case 32 -> signed ? Annotation.INT32 : Annotation.UINT32;
      case 64 -> signed ? Annotation.INT64 : Annotation.UINT64;
      default -> Annotation.OTHER;
    };
  }
}
