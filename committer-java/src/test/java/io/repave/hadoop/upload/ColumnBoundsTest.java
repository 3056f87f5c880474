package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.record.Readers;
import io.repave.hadoop.footer.FileOrder;
import io.repave.hadoop.footer.StatsColumns;
import io.repave.hadoop.footer.WantedFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.NanoTime;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.io.api.Binary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The bounds of a column hold all of its values in a file, or are unknown. */
@Timeout(120)
class ColumnBoundsTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final StatsColumns C = new StatsColumns(List.of("c"));

  private static FileFacts facts(byte[] file, StatsColumns stats) {
    return new PassingFile(WantedFacts.of(stats, FileOrder.NONE)).last(new ArrayPart(file)).facts();
  }

  private static ColumnBounds bounds(byte[] file) {
    return facts(file, C).columns().get(0);
  }

  /** Fills a row. */
  private interface Row extends Consumer<Group> {}

  private static ColumnBounds bounds(String type, Row... rows) throws IOException {
    return bounds(ParquetBytes.filled("optional " + type + ";", it -> it, List.of(rows)));
  }

  private static ColumnBounds known(String type, String low, String high, long nulls) {
    return new ColumnBounds("c", type, Optional.of(low), Optional.of(high), OptionalLong.of(nulls));
  }

  private static ColumnBounds unbounded(String type, long nulls) {
    return new ColumnBounds("c", type, Optional.empty(), Optional.empty(), OptionalLong.of(nulls));
  }

  private static Row text(String value) {
    return row -> row.append("c", value);
  }

  private static Row number(double value) {
    return row -> row.append("c", value);
  }

  @Test
  void eachTypeIsWrittenInItsForm() throws IOException {
    assertThat(
            bounds("int64 c", row -> row.append("c", 5L), row -> row.append("c", -3L), row -> {}))
        .isEqualTo(known("long", "-3", "5", 1));
    assertThat(bounds("int32 c (DATE)", row -> row.append("c", -1), row -> row.append("c", 20_000)))
        .isEqualTo(known("date", "1969-12-31", "2024-10-04", 0));
    assertThat(bounds("int64 c (TIMESTAMP(MICROS,true))", row -> row.append("c", -1L)))
        .isEqualTo(
            known("timestamp", "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z", 0));
    assertThat(bounds("int64 c (TIMESTAMP(MILLIS,false))", row -> row.append("c", 1_001L)))
        .isEqualTo(
            known("timestamp_ntz", "1970-01-01T00:00:01.001000", "1970-01-01T00:00:01.001000", 0));
    assertThat(bounds("int32 c (DECIMAL(5,2))", row -> row.append("c", -100)))
        .isEqualTo(known("decimal(5,2)", "-1.00", "-1.00", 0));
    assertThat(
            bounds(
                "binary c (DECIMAL(20,2))",
                row -> row.append("c", Binary.fromConstantByteArray(new byte[] {-1})),
                row -> row.append("c", Binary.fromConstantByteArray(new byte[] {1, 0}))))
        .isEqualTo(known("decimal(20,2)", "-0.01", "2.56", 0));
    assertThat(bounds("int32 c (INTEGER(32,false))", row -> row.append("c", -1)))
        .isEqualTo(known("long", "4294967295", "4294967295", 0));
    assertThat(bounds("binary c (STRING)", text("b"), text("\uFFFF"), text("\uD83D\uDE00")))
        .isEqualTo(known("string", "b", "\uD83D\uDE00", 0));
    assertThat(bounds("double c", number(1.5), number(-1e300)))
        .isEqualTo(known("double", "-1.0E300", "1.5", 0));
  }

  /** The shortest digits of this float are 5.3875302E8, which is less than its value. */
  @Test
  void aFloatIsWrittenWithAllOfItsDigits() throws IOException {
    assertThat(bounds("float c", row -> row.append("c", 538_753_024f)))
        .isEqualTo(known("float", "5.38753024E8", "5.38753024E8", 0));
  }

  @Test
  void valuesWithoutAnAgreedOrderHaveNoBounds() throws IOException {
    assertThat(bounds("int96 c", row -> row.append("c", new NanoTime(2_440_588, 1))))
        .isEqualTo(unbounded("timestamp", 0));
    assertThat(bounds("boolean c", row -> row.append("c", true), row -> {}))
        .isEqualTo(unbounded("boolean", 1));
    assertThat(bounds("binary c", text("a"))).isEqualTo(unbounded("binary", 0));
    assertThat(bounds("double c", number(1), number(Double.NaN), number(2)))
        .isEqualTo(unbounded("double", 0));
    assertThat(bounds("float c", row -> row.append("c", Float.NaN)))
        .isEqualTo(unbounded("float", 0));
    assertThat(bounds("double c", number(Double.NEGATIVE_INFINITY), number(1)))
        .isEqualTo(
            new ColumnBounds(
                "c", "double", Optional.empty(), Optional.of("1.0"), OptionalLong.of(0)));
    assertThat(bounds("int32 c (DATE)", row -> row.append("c", Integer.MAX_VALUE)))
        .isEqualTo(unbounded("date", 0));
    assertThat(bounds("int64 c", row -> {}, row -> {})).isEqualTo(unbounded("long", 2));
    assertThat(bounds("int64 c")).isEqualTo(unbounded("long", 0));
  }

  @Test
  void aZeroBoundsTheZeroOfTheOtherSign() throws IOException {
    for (double zero : new double[] {0.0, -0.0}) {
      assertThat(bounds("double c", number(zero))).isEqualTo(known("double", "-0.0", "0.0", 0));
      assertThat(bounds("float c", row -> row.append("c", (float) zero)))
          .isEqualTo(known("float", "-0.0", "0.0", 0));
    }
  }

  @Test
  void longTextsAreCutSoThatTheyStayBounds() throws IOException {
    assertThat(bounds("binary c (STRING)", text("a".repeat(64))))
        .isEqualTo(known("string", "a".repeat(64), "a".repeat(64), 0));
    assertThat(bounds("binary c (STRING)", text("a".repeat(65))))
        .isEqualTo(known("string", "a".repeat(64), "a".repeat(63) + "b", 0));
    // 21 characters of 3 bytes; the next character after the last one is 4 bytes long or missing.
    assertThat(bounds("binary c (STRING)", text("\uFFFF".repeat(30))))
        .isEqualTo(known("string", "\uFFFF".repeat(21), "\uFFFF".repeat(20) + "\uD800\uDC00", 0));
    assertThat(bounds("binary c (STRING)", text("\uD7FF".repeat(30))).high())
        .hasValue("\uD7FF".repeat(20) + "\uE000");
    assertThat(bounds("binary c (STRING)", text("\uDBFF\uDFFF".repeat(30))))
        .isEqualTo(
            new ColumnBounds(
                "c",
                "string",
                Optional.of("\uDBFF\uDFFF".repeat(16)),
                Optional.empty(),
                OptionalLong.of(0)));
    assertThat(bounds("binary c (STRING)", text("x\u007F" + "\uDBFF\uDFFF".repeat(30))).high())
        .hasValue("x\u0080");
    assertThat(
            bounds(
                "binary c (STRING)",
                row -> row.append("c", Binary.fromConstantByteArray(new byte[] {'a', -1}))))
        .isEqualTo(known("string", "a", "b", 0));
  }

  @Test
  void theBoundsOfAllRowGroupsAreMerged() throws IOException {
    List<Consumer<Group>> rows = new ArrayList<>();
    for (long number = 0; number < 30_000; number++) {
      long value = (number * 7_919) % 30_000;
      rows.add(row -> fill(row, value));
    }
    UnaryOperator<ExampleParquetWriter.Builder> small = it -> it.withRowGroupSize(20_000L);
    byte[] file = ParquetBytes.filled("optional binary a; optional int64 c;", small, rows);
    assertThat(bounds(file)).isEqualTo(known("long", "1", "29999", 3_000));
  }

  private static void fill(Group row, long value) {
    row.append("a", Binary.fromString("text " + value));
    if (value % 10 != 0) {
      row.append("c", value);
    }
  }

  @Test
  void onlyNamedColumnsAtTheTopHaveBounds() throws IOException {
    String columns =
        "required group a { required int64 c; } required int64 b; repeated int64 d;"
            + " required int64 e;";
    byte[] file =
        ParquetBytes.filled(
            columns,
            it -> it,
            List.of(
                row -> {
                  row.addGroup("a").append("c", 1L);
                  row.append("b", 2L).append("d", 3L).append("d", 4L).append("e", 5L);
                }));
    StatsColumns several = new StatsColumns(List.of("a", "c", "d", "e", "missing"));
    ColumnBounds five =
        new ColumnBounds("e", "long", Optional.of("5"), Optional.of("5"), OptionalLong.of(0));
    assertThat(facts(file, several).columns()).containsExactly(five);
    assertThat(facts(file, C).columns()).isEmpty();
    assertThat(facts(file, StatsColumns.NONE).columns()).isEmpty();
    assertThat(facts(file, several).rows()).hasValue(1);
  }

  @Test
  void daysOfTheOldCalendarHaveNoBounds() throws IOException {
    byte[] file =
        ParquetBytes.filled(
            "optional int32 c (DATE);",
            it -> it.withExtraMetaData(Map.of("org.apache.spark.legacyDateTime", "")),
            List.of(row -> row.append("c", 1)));
    assertThat(bounds(file)).isEqualTo(unbounded("date", 0));
  }

  @Test
  void anEncryptedFooterOrColumnHasNoBounds() throws IOException {
    FileEncryptionProperties.Builder hidden = FileEncryptionProperties.builder(KEY);
    FileEncryptionProperties.Builder plain =
        FileEncryptionProperties.builder(KEY).withPlaintextFooter();
    List<Consumer<Group>> rows = List.of(row -> row.append("c", 1L));
    String columns = "optional int64 c;";
    assertThat(
            facts(ParquetBytes.filled(columns, it -> it.withEncryption(hidden.build()), rows), C))
        .isEqualTo(FileFacts.NONE);
    FileFacts open =
        facts(ParquetBytes.filled(columns, it -> it.withEncryption(plain.build()), rows), C);
    assertThat(open.rows()).hasValue(1);
    assertThat(open.columns())
        .allSatisfy(it -> assertThat(it.low().isPresent() || it.high().isPresent()).isFalse());
  }

  /** Also no endless loop, no large array, no deep stack: the test has a time limit. */
  @Test
  void damagedStatisticsDoNotFail() throws IOException {
    byte[] file =
        ParquetBytes.filled(
            "optional int64 b; optional binary c (STRING); optional int64 d (TIMESTAMP(MILLIS,true));",
            it -> it,
            List.of(row -> row.append("c", "text").append("d", 1L), text("x")));
    StatsColumns all = new StatsColumns(List.of("b", "c", "d"));
    int footer = file.length - 8 - ParquetBytes.footerBytes(file);
    for (int seed = 0; seed < 50_000; seed++) {
      Random random = new Random(seed);
      byte[] damaged = file.clone();
      int changes = 1 + random.nextInt(8);
      for (int change = 0; change < changes; change++) {
        damaged[footer + random.nextInt(damaged.length - footer - 4)] = (byte) random.nextInt();
      }
      assertThat(facts(damaged, all).columns())
          .as("seed %d", seed)
          .hasSizeLessThanOrEqualTo(ColumnBounds.COLUMNS_MAX)
          .allMatch(ColumnBounds::isPossible);
    }
  }

  @Test
  void theTasksMessageCarriesTheBounds(@TempDir Path folder) throws Exception {
    byte[] file =
        ParquetBytes.filled(
            "optional int64 c;", it -> it, List.of(row -> row.append("c", 7L), row -> {}));
    UploadWorld world = new UploadWorld(folder);
    TaskAttempt attempt = world.attempt(Readers.LISTING, C);
    world.write(attempt, "dt=1", "a.parquet", file);
    world.write(attempt, "dt=1", "b.csv", "c\n7\n".getBytes(StandardCharsets.UTF_8));
    assertThat(UploadWorld.uploads(attempt.commit()))
        .extracting(it -> it.facts().columns())
        .containsExactly(List.of(known("long", "7", "7", 1)), List.of());
    world.endWithNothingLeft();
  }
}
