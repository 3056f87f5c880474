package io.repave.hadoop.upload;

import io.repave.hadoop.parquet.MemoryFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.NanoTime;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/** Parquet files as bytes, written by Parquet's own writer. */
final class ParquetBytes {
  private static final String NESTED =
      "message m { required int64 id; optional binary name (STRING); optional int64 at"
          + " (TIMESTAMP(MICROS,true)); optional int96 old; optional group tags (LIST) { repeated"
          + " group list { optional binary element (STRING); } } optional group map (MAP) {"
          + " repeated group key_value { required binary key (STRING); optional"
          + " fixed_len_byte_array(5) value (DECIMAL(9,2)); } } }";

  private static final Configuration NO_DEFAULTS = new Configuration(false);

  private ParquetBytes() {}

  /** A file with this many rows of an id in a schema with nested and annotated columns. */
  static byte[] of(int rows) throws IOException {
    return of(rows, NESTED, it -> it);
  }

  /** A file with this many optional columns in addition to the id. */
  static byte[] wide(int rows, int columns) throws IOException {
    StringBuilder schema = new StringBuilder("message m { required int64 id;");
    for (int column = 0; column < columns; column++) {
      schema.append(" optional binary a_rather_long_name_").append(column).append(" (STRING);");
    }
    return of(rows, schema.append(" }").toString(), it -> it);
  }

  static byte[] of(int rows, UnaryOperator<ExampleParquetWriter.Builder> change)
      throws IOException {
    return of(rows, NESTED, change);
  }

  /** A file without rows in a schema that is written as Parquet prints it. */
  static byte[] empty(String columns, Map<String, String> says) throws IOException {
    return of(0, "message m { " + columns + " }", it -> it.withExtraMetaData(says));
  }

  /** A file with a row for each action, which fills it. */
  static byte[] filled(
      String columns,
      UnaryOperator<ExampleParquetWriter.Builder> change,
      List<? extends Consumer<Group>> rows)
      throws IOException {
    MessageType type = MessageTypeParser.parseMessageType("message m { " + columns + " }");
    MemoryFile file = new MemoryFile(Integer.MAX_VALUE);
    SimpleGroupFactory groups = new SimpleGroupFactory(type);
    try (ParquetWriter<Group> writer =
        change.apply(ExampleParquetWriter.builder(file).withType(type)).build()) {
      for (Consumer<Group> row : rows) {
        Group group = groups.newGroup();
        row.accept(group);
        writer.write(group);
      }
    }
    return file.content();
  }

  /** Pages of this many rows. */
  static UnaryOperator<ExampleParquetWriter.Builder> pages(int rows) {
    // Without Hadoop's defaults, which would be read anew for each file.
    return it ->
        it.withConf(NO_DEFAULTS).withPageRowCountLimit(rows).withMinRowCountForPageSizeCheck(1);
  }

  /** A file of rows with these values; null is left out. */
  static byte[] rows(
      String columns, UnaryOperator<ExampleParquetWriter.Builder> change, List<Object[]> rows)
      throws IOException {
    String[] names =
        Arrays.stream(columns.trim().split(";"))
            .map(it -> it.trim().split("[ ;]+")[2])
            .toArray(String[]::new);
    List<Consumer<Group>> groups = new ArrayList<>();
    for (Object[] row : rows) {
      groups.add(
          group -> IntStream.range(0, row.length).forEach(it -> put(group, names[it], row[it])));
    }
    return filled(columns, change, groups);
  }

  private static void put(Group group, String name, Object value) {
    if (value instanceof Long number) {
      group.append(name, number);
    } else if (value instanceof Integer number) {
      group.append(name, number);
    } else if (value instanceof Double number) {
      group.append(name, number);
    } else if (value instanceof Float number) {
      group.append(name, number);
    } else if (value instanceof Boolean flag) {
      group.append(name, flag);
    } else if (value instanceof NanoTime time) {
      group.append(name, time);
    } else if (value instanceof String text) {
      group.append(name, text);
    }
  }

  private static byte[] of(
      int rows, String schema, UnaryOperator<ExampleParquetWriter.Builder> change)
      throws IOException {
    MessageType type = MessageTypeParser.parseMessageType(schema);
    MemoryFile file = new MemoryFile(Integer.MAX_VALUE);
    SimpleGroupFactory groups = new SimpleGroupFactory(type);
    try (ParquetWriter<Group> writer =
        change.apply(ExampleParquetWriter.builder(file).withType(type)).build()) {
      for (long row = 0; row < rows; row++) {
        writer.write(groups.newGroup().append("id", row));
      }
    }
    return file.content();
  }

  /** The number of bytes of a file's footer, without its length and the magic. */
  static int footerBytes(byte[] file) {
    int at = file.length - 8;
    return file[at] & 0xFF
        | (file[at + 1] & 0xFF) << 8
        | (file[at + 2] & 0xFF) << 16
        | (file[at + 3] & 0xFF) << 24;
  }
}
