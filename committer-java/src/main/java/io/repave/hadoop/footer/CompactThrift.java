package io.repave.hadoop.footer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the fields of one struct in Thrift's compact protocol, in their order. It trusts no byte.
 * Whatever they are, it ends after at most as many steps as there are bytes, and takes no memory
 * but that of the lists and texts that are asked for.
 */
final class CompactThrift {
  static final int BYTE = 3;
  static final int I32 = 5;
  static final int I64 = 6;
  static final int BINARY = 8;
  static final int LIST = 9;
  static final int STRUCT = 12;

  private static final int STOP = 0;
  private static final int TRUE = 1;
  private static final int FALSE = 2;
  private static final int I16 = 4;
  private static final int DOUBLE = 7;
  private static final int SET = 10;
  private static final int MAP = 11;
  private static final int UUID = 13;

  /** A schema's deepest value, a logical type's unit, is in the fifth struct. */
  private static final int DEPTH_MAX = 16;

  private final byte[] bytes;
  private int at;
  private int field;
  private int type;

  CompactThrift(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The bytes end early, or are not Thrift. */
  static final class DamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    DamagedException() {
      super("not a struct in Thrift's compact protocol", null, false, false);
    }
  }

  /** Reads the fields of one struct. */
  interface Fields {
    /** Reads the value of the current field, or passes over it. */
    void field(int field) throws DamagedException;
  }

  /** Passes the fields of a struct to a reader, which must take or skip each value. */
  void struct(Fields fields) throws DamagedException {
    int outer = field;
    field = 0;
    while (field() != 0) {
      fields.field(field);
    }
    field = outer;
  }

  /**
   * Passes the fields of each struct in the list that is the value of the field. A struct of one
   * byte may become an object of a hundred, so the caller says how many it can keep.
   */
  void structs(int most, Runnable begin, Fields fields, Runnable end) throws DamagedException {
    long size = list(STRUCT, STRUCT);
    if (size > most) {
      throw new DamagedException();
    }
    for (long i = 0; i < size; i++) {
      begin.run();
      struct(fields);
      end.run();
    }
  }

  /** The value of a field that is a list of bytes. */
  List<byte[]> binaries() throws DamagedException {
    require(LIST);
    long size = list(BINARY, BINARY);
    List<byte[]> values = new ArrayList<>();
    for (long i = 0; i < size; i++) {
      values.add(bytes());
    }
    return values;
  }

  /** The value of a field that is a list of flags. */
  List<Boolean> flags() throws DamagedException {
    require(LIST);
    long size = list(TRUE, FALSE);
    List<Boolean> values = new ArrayList<>();
    for (long i = 0; i < size; i++) {
      values.add(next() == TRUE);
    }
    return values;
  }

  /** The value of a field that is a list of numbers of 64 bits. */
  List<Long> numbers() throws DamagedException {
    require(LIST);
    long size = list(I64, I64);
    List<Long> values = new ArrayList<>();
    for (long i = 0; i < size; i++) {
      values.add(number());
    }
    return values;
  }

  /** Reads the size of a list, whose values must have one of these types. */
  private long list(int wanted, int other) throws DamagedException {
    int header = next();
    long size = header >>> 4 == 15 ? varint() : header >>> 4;
    requireRoom(size);
    int what = header & 0x0F;
    if (size > 0 && what != wanted && what != other) {
      throw new DamagedException();
    }
    return size;
  }

  /** Throws unless the value of the field has this type. */
  void require(int wanted) throws DamagedException {
    if (type != wanted) {
      throw new DamagedException();
    }
  }

  /** The value of a field that is a flag. */
  boolean flag() throws DamagedException {
    if (type != TRUE && type != FALSE) {
      throw new DamagedException();
    }
    return type == TRUE;
  }

  /** The value of a field that is bytes. */
  byte[] binary() throws DamagedException {
    require(BINARY);
    return bytes();
  }

  private byte[] bytes() throws DamagedException {
    long length = varint();
    move(length);
    return Arrays.copyOfRange(bytes, at - (int) length, at);
  }

  /** The value of a field that is text. */
  String text() throws DamagedException {
    return new String(binary(), StandardCharsets.UTF_8);
  }

  /** The value of a field that is a byte. */
  int oneByte() throws DamagedException {
    require(BYTE);
    return (byte) next();
  }

  /** The value of a field that is a number of 32 bits. */
  int small() throws DamagedException {
    require(I32);
    return (int) number();
  }

  /** Moves to the next field and returns its number; 0 at the end of the struct. */
  int field() throws DamagedException {
    int header = next();
    type = header & 0x0F;
    int step = header >>> 4;
    if (type == STOP) {
      field = 0;
    } else if (step == 0) {
      field = (int) number();
    } else {
      field += step;
    }
    return field;
  }

  /** The type of the field. */
  int type() {
    return type;
  }

  /** The value of a field that is a number. */
  long number() throws DamagedException {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** Passes over the value of the field. */
  void skip() throws DamagedException {
    if (type != TRUE && type != FALSE) {
      skip(type, 0);
    }
  }

  private void skip(int what, int depth) throws DamagedException {
    if (depth > DEPTH_MAX) {
      throw new DamagedException();
    }
    switch (what) {
      // A flag in a list takes a byte; in a struct its type is its value.
      case TRUE, FALSE, BYTE -> move(1);
      case I16, I32, I64 -> varint();
      case DOUBLE -> move(8);
      case UUID -> move(16);
      case BINARY -> move(varint());
      case LIST, SET -> skipList(depth);
      case MAP -> skipMap(depth);
      case STRUCT -> skipStruct(depth);
      default -> throw new DamagedException();
    }
  }

  private void skipList(int depth) throws DamagedException {
    int header = next();
    long size = header >>> 4 == 15 ? varint() : header >>> 4;
    requireRoom(size);
    for (long i = 0; i < size; i++) {
      skip(header & 0x0F, depth + 1);
    }
  }

  private void skipMap(int depth) throws DamagedException {
    long size = varint();
    requireRoom(size);
    if (size == 0) {
      return;
    }
    int types = next();
    for (long i = 0; i < size; i++) {
      skip(types >>> 4, depth + 1);
      skip(types & 0x0F, depth + 1);
    }
  }

  private void skipStruct(int depth) throws DamagedException {
    for (int header = next(); (header & 0x0F) != STOP; header = next()) {
      if (header >>> 4 == 0) {
        varint();
      }
      int what = header & 0x0F;
      if (what != TRUE && what != FALSE) {
        skip(what, depth + 1);
      }
    }
  }

  private long varint() throws DamagedException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int group = next();
      value |= (group & 0x7FL) << shift;
      if (group < 0x80) {
        return value;
      }
    }
    throw new DamagedException();
  }

  private int next() throws DamagedException {
    requireRoom(1);
    return bytes[at++] & 0xFF;
  }

  private void move(long length) throws DamagedException {
    requireRoom(length);
    at += (int) length;
  }

  /** Every value takes at least one byte. */
  private void requireRoom(long length) throws DamagedException {
    if (length < 0 || length > bytes.length - at) {
      throw new DamagedException();
    }
  }
}
