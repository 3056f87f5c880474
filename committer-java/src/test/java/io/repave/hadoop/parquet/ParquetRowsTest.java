package io.repave.hadoop.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.RowFileFormat.RowFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetRowsTest {
  private static final String SCHEMA =
      "message it { optional group one { optional int32 small; optional int64 large;"
          + " optional boolean yes; optional binary text (STRING);"
          + " optional group all (LIST) { repeated group list { optional binary element (STRING); } }"
          + " optional group by (MAP) { repeated group key_value { required binary key (STRING);"
          + " optional binary value (STRING); } } } optional group two { optional int64 large; } }";

  @TempDir Path folder;

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void rowsComeBackAsTheyWereAdded() throws Exception {
    byte[] content;
    try (RowFile file = ParquetLibrary.rows().begin(SCHEMA, 1 << 20)) {
      file.add(
          utf8(
              "{\"one\":{\"small\":7,\"large\":9007199254740993,\"yes\":false,\"text\":\"é\\\"\","
                  + "\"other\":1,\"all\":[\"a\",\"b\"],\"by\":{\"x\":\"1\",\"y\":null}}}"));
      file.add(utf8("{\"two\":{\"large\":-1}}\n"));
      file.add(utf8("{\"one\":{\"all\":[],\"by\":{},\"text\":null}}"));
      content = file.end();
    }
    Path at = Files.write(folder.resolve("it.parquet"), content);
    try (ParquetReader<Group> reader =
        ParquetReader.builder(
                new GroupReadSupport(), new org.apache.hadoop.fs.Path(at.toUri().toString()))
            .build()) {
      Group first = reader.read().getGroup("one", 0);
      assertThat(first.getInteger("small", 0)).isEqualTo(7);
      assertThat(first.getLong("large", 0)).isEqualTo(9007199254740993L);
      assertThat(first.getBoolean("yes", 0)).isFalse();
      assertThat(first.getString("text", 0)).isEqualTo("é\"");
      Group all = first.getGroup("all", 0);
      assertThat(all.getGroup("list", 1).getString("element", 0)).isEqualTo("b");
      Group by = first.getGroup("by", 0);
      assertThat(by.getGroup("key_value", 0).getString("value", 0)).isEqualTo("1");
      assertThat(by.getGroup("key_value", 1).getString("key", 0)).isEqualTo("y");
      assertThat(by.getGroup("key_value", 1).getFieldRepetitionCount("value")).isZero();
      assertThat(reader.read().getGroup("two", 0).getLong("large", 0)).isEqualTo(-1);
      Group empty = reader.read().getGroup("one", 0);
      assertThat(empty.getGroup("all", 0).getFieldRepetitionCount("list")).isZero();
      assertThat(empty.getGroup("by", 0).getFieldRepetitionCount("key_value")).isZero();
      assertThat(empty.getFieldRepetitionCount("text")).isZero();
      assertThat(reader.read()).isNull();
    }
  }

  @Test
  void theSameRowsGiveTheSameBytes() throws Exception {
    assertThat(oneRow()).isEqualTo(oneRow());
  }

  private static byte[] oneRow() throws IOException {
    try (RowFile file = ParquetLibrary.rows().begin(SCHEMA, 1 << 20)) {
      file.add(utf8("{\"two\":{\"large\":1}}"));
      return file.end();
    }
  }

  @Test
  void aFileThatIsTooLargeOrAWrongRowIsAnIoException() throws Exception {
    try (RowFile file = ParquetLibrary.rows().begin(SCHEMA, 100)) {
      file.add(utf8("{\"two\":{\"large\":1}}"));
      assertThatThrownBy(file::end).isInstanceOf(IOException.class);
    }
    try (RowFile file = ParquetLibrary.rows().begin(SCHEMA, 1 << 20)) {
      assertThatThrownBy(() -> file.add(utf8("{\"one\":{\"text\":5}}")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("parquet-hadoop failed");
    }
    assertThatThrownBy(() -> ParquetLibrary.rows().begin("nonsense", 1))
        .isInstanceOf(IOException.class);
  }
}
