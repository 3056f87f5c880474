package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.record.Readers;
import io.repave.hadoop.footer.Disorder;
import io.repave.hadoop.footer.FileOrder;
import io.repave.hadoop.footer.ParquetFooter;
import io.repave.hadoop.footer.StatsColumns;
import io.repave.hadoop.footer.WantedFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.parquet.example.data.simple.NanoTime;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pages of a file show whether its rows are in order, as far as pages can. */
@Timeout(180)
class OrderedPagesTest {
  private static final String TEXT = "optional binary c (STRING);";

  private static WantedFacts wanted(String order) {
    return WantedFacts.of(StatsColumns.NONE, FileOrder.of(order).orElseThrow());
  }

  private static ParquetFooter.Content content(byte[] file, String order) {
    return new PassingFile(wanted(order)).last(new ArrayPart(file));
  }

  /** A file with pages of two rows. */
  private static byte[] file(String columns, Object[]... rows) throws IOException {
    return ParquetBytes.rows(columns, ParquetBytes.pages(2), Arrays.asList(rows));
  }

  private static Object[] row(Object... values) {
    return values;
  }

  private static Object[][] longs(Long... values) {
    return Arrays.stream(values).map(OrderedPagesTest::row).toArray(Object[][]::new);
  }

  private static ParquetFooter.Content ofLongs(String order, Long... values) throws IOException {
    return content(file("optional int64 c;", longs(values)), order);
  }

  private static void assertOrdered(ParquetFooter.Content found, String order) {
    assertThat(found.disorder()).isEmpty();
    assertThat(found.facts().ordered()).hasValue(order);
  }

  private static void assertUnknown(ParquetFooter.Content found) {
    assertThat(found.disorder()).isEmpty();
    assertThat(found.facts().ordered()).isEmpty();
  }

  private static void assertDisordered(ParquetFooter.Content found, String column) {
    assertThat(found.disorder()).map(Disorder::column).hasValue(column);
    assertThat(found.facts().ordered()).isEmpty();
  }

  @Test
  void pagesInOrderAreRecorded() throws IOException {
    assertOrdered(ofLongs("c", -3L, 1L, 1L, 4L, 4L, 5L), "c");
    assertOrdered(ofLongs("C desc", 5L, 4L, 4L, 1L, -3L), "C desc");
    assertThat(ofLongs("c", -3L, 1L, 1L, 4L).facts().rows()).hasValue(4);
    assertUnknown(ofLongs("", 1L, 2L, 3L));
  }

  @Test
  void aDisorderNamesThePages() throws IOException {
    assertThat(ofLongs("c", 1L, 2L, 3L, 5L, 4L, 6L).disorder())
        .hasValue(new Disorder("c", "page 2 of row group 1", "page 3 of row group 1"));
    assertDisordered(ofLongs("c desc", 1L, 2L, 3L), "c");
  }

  /** No page shows the order of its own rows. */
  @Test
  void aFileOfOnePageIsUnknown() throws IOException {
    assertUnknown(ofLongs("c", 2L, 1L));
    assertUnknown(ofLongs("c", 1L, 2L));
    assertOrdered(ofLongs("c", 1L), "c");
    assertOrdered(ofLongs("c"), "c");
  }

  @Test
  void nullsComeWhereTheOrderPutsThem() throws IOException {
    Long[] first = {null, null, null, 1L, 2L, 3L};
    Long[] last = {1L, 2L, 3L, null, null, null};
    assertOrdered(ofLongs("c", first), "c");
    assertOrdered(ofLongs("c nulls last", last), "c nulls last");
    assertDisordered(ofLongs("c", last), "c");
    assertDisordered(ofLongs("c nulls last", first), "c");
    assertOrdered(ofLongs("c desc", 3L, 2L, 1L, null, null, null), "c desc");
    assertOrdered(ofLongs("c desc nulls first", null, null, 2L, 1L, 1L), "c desc nulls first");
    assertDisordered(ofLongs("c", 1L, 2L, null, 3L), "c");
    assertDisordered(ofLongs("c nulls last", 1L, null, 2L, 3L), "c");
    assertOrdered(ofLongs("c", null, null, null, null), "c");
  }

  @Test
  void eachTypeIsComparedAsSparkSortsIt() throws IOException {
    assertOrdered(content(file("optional int32 c (DATE);", row(-1), row(0), row(1)), "c"), "c");
    assertOrdered(
        content(file("optional int32 c (INTEGER(32,false));", row(1), row(2), row(-1)), "c"), "c");
    assertOrdered(
        content(file("optional int32 c (DECIMAL(5,2));", row(-5), row(0), row(7)), "c"), "c");
    assertOrdered(
        content(file("optional boolean c;", row(false), row(false), row(true)), "c"), "c");
    assertDisordered(
        content(file("optional boolean c;", row(true), row(true), row(false)), "c"), "c");
    assertOrdered(content(file(TEXT, row("Z"), row("a"), row("é"), row("\uD83D\uDE00")), "c"), "c");
    assertDisordered(content(file(TEXT, row("a"), row("a"), row("Z")), "c"), "c");
    assertOrdered(content(file("optional binary c;", row("a"), row("b"), row("c")), "c"), "c");
  }

  @Test
  void theZerosOfBothSignsAreEqual() throws IOException {
    assertOrdered(
        content(file("optional double c;", row(-1.0), row(0.0), row(-0.0), row(1.0)), "c"), "c");
    assertOrdered(
        content(file("optional float c;", row(0f), row(-0f), row(0f), row(-0f)), "c"), "c");
  }

  @Test
  void whatHasNoOrderOrMayBeHiddenIsUnknown() throws IOException {
    Object[][] withNan = {row(1.0), row(2.0), row(Double.NaN), row(Double.NaN)};
    assertUnknown(content(file("optional double c;", withNan), "c"));
    Object[][] times = {row(new NanoTime(9, 1)), row(new NanoTime(8, 1)), row(new NanoTime(7, 1))};
    assertUnknown(content(file("optional int96 c;", times), "c"));
    assertUnknown(content(file("optional int64 c;", longs(3L, 2L, 1L)), "d"));
    UnaryOperator<ExampleParquetWriter.Builder> old =
        it ->
            ParquetBytes.pages(2)
                .apply(it)
                .withExtraMetaData(Map.of("org.apache.spark.legacyDateTime", ""));
    List<Object[]> days = List.of(row(3), row(2), row(1));
    assertUnknown(content(ParquetBytes.rows("optional int32 c (DATE);", old, days), "c"));
    String collated =
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"c\",\"type\":\"string\",\"nullable\":true,"
            + "\"metadata\":{\"__COLLATIONS\":{\"c\":\"spark.UTF8_LCASE\"}}}]}";
    UnaryOperator<ExampleParquetWriter.Builder> language =
        it ->
            ParquetBytes.pages(2)
                .apply(it)
                .withExtraMetaData(Map.of("org.apache.spark.sql.parquet.row.metadata", collated));
    assertUnknown(
        content(ParquetBytes.rows(TEXT, language, List.of(row("a"), row("a"), row("B"))), "c"));
  }

  @Test
  void textsBeyondTheBoundsAreNeverCalledDisorderedWhenTheyAreNot() throws IOException {
    String same = "é".repeat(50);
    Object[][] ordered = {row(same + "a"), row(same + "b"), row(same + "c"), row(same + "d")};
    assertUnknown(content(file(TEXT, ordered), "c"));
    Object[][] apart = {row("a" + same), row("b" + same), row("c" + same), row("d" + same)};
    assertOrdered(content(file(TEXT, apart), "c"), "c");
    Object[][] disordered = {row("c" + same), row("d" + same), row("a" + same), row("b" + same)};
    assertDisordered(content(file(TEXT, disordered), "c"), "c");
  }

  /** The writer's own setting for the length of texts in indexes is known. */
  @Test
  void textsThatAreCutShorterAreCompared() throws IOException {
    List<Object[]> rows = List.of(row("abcdefgh1"), row("abcdefgh1"), row("abcdefgh2"));
    byte[] file =
        ParquetBytes.rows(
            TEXT, it -> ParquetBytes.pages(2).apply(it).withColumnIndexTruncateLength(8), rows);
    WantedFacts eight = WantedFacts.of(StatsColumns.NONE, FileOrder.of("c").orElseThrow(), 8);
    assertUnknown(new PassingFile(eight).last(new ArrayPart(file)));
  }

  @Test
  void aLaterColumnMattersAmongEqualRowsOnly() throws IOException {
    String columns = "optional int64 a; optional int64 b;";
    byte[] strict = file(columns, row(1L, 9L), row(2L, 8L), row(3L, 1L), row(3L, 0L));
    assertOrdered(content(strict, "a, b"), "a, b");
    byte[] ties = file(columns, row(1L, 1L), row(1L, 2L), row(1L, 3L), row(1L, 4L), row(2L, 0L));
    assertOrdered(content(ties, "a, b"), "a, b");
    assertDisordered(content(ties, "a, b desc"), "b");
    byte[] mixed = file(columns, row(1L, 1L), row(2L, 7L), row(2L, 3L), row(3L, 4L));
    // Whether 7 comes before 3 among the rows with 2 is not to be seen.
    assertOrdered(content(mixed, "a, b"), "a");
    byte[] nulls = file(columns, row(null, 1L), row(null, 2L), row(null, 0L), row(null, 1L));
    assertDisordered(content(nulls, "a, b"), "b");
  }

  /** The first pages are sent and gone; their indexes are not. */
  @Test
  void aFileOfSeveralPartsAndRowGroupsIsCompared() throws IOException {
    List<Object[]> rows =
        IntStream.range(0, 20_000)
            .mapToObj(it -> row((long) it, "text " + (it * 2_654_435_761L)))
            .collect(Collectors.toCollection(ArrayList::new));
    UnaryOperator<ExampleParquetWriter.Builder> change =
        it ->
            it.withPageRowCountLimit(1_000)
                .withMinRowCountForPageSizeCheck(1)
                .withRowGroupSize(100_000L);
    String columns = "required int64 c; optional binary d (STRING);";
    byte[] ordered = ParquetBytes.rows(columns, change, rows);
    Collections.swap(rows, 100, 19_900);
    byte[] disordered = ParquetBytes.rows(columns, change, rows);
    for (int partBytes : new int[] {20_000, 77_777, ordered.length - 100, ordered.length}) {
      assertOrdered(ArrayPart.content(ordered, partBytes, wanted("c")), "c");
      assertDisordered(ArrayPart.content(disordered, partBytes, wanted("c")), "c");
    }
    assertThat(ArrayPart.content(disordered, 77_777, wanted("c")).disorder().get().later())
        .contains("row group");
  }

  /** Also no endless loop, no large array, no deep stack: the test has a time limit. */
  @Test
  void damagedIndexesDoNotFail() throws IOException {
    byte[] file =
        file(
            "optional int64 a; optional binary b (STRING); optional double c;",
            row(1L, "a", 1.0),
            row(1L, "b", 2.0),
            row(1L, "c", 3.0),
            row(2L, "d", 4.0));
    int indexes = file.length - 8 - ParquetBytes.footerBytes(file) - 250;
    for (int seed = 0; seed < 50_000; seed++) {
      Random random = new Random(seed);
      byte[] damaged = file.clone();
      int changes = 1 + random.nextInt(6);
      for (int change = 0; change < changes; change++) {
        damaged[indexes + random.nextInt(damaged.length - indexes - 8)] = (byte) random.nextInt();
      }
      assertThat(content(damaged, "a, b, c desc")).as("seed %d", seed).isNotNull();
    }
  }

  @Test
  void aDisorderedFileFailsItsWriterAndLeavesNothing(@TempDir Path folder) throws Exception {
    byte[] disordered = file("optional int64 c;", longs(5L, 6L, 1L, 2L));
    for (Readers readers : Readers.values()) {
      UploadWorld world = new UploadWorld(folder);
      TaskAttempt attempt = world.attempt(readers, wanted("c"));
      assertThatThrownBy(() -> world.write(attempt, "dt=1", "a.parquet", disordered))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "The rows of s3://lake/sales/dt=1/a.parquet are not in the order of repave.order (c):"
                  + " page 2 of row group 1 has a row whose c sorts before a row in page 1 of row"
                  + " group 1. Nothing of this job is published. Sort the rows right before the"
                  + " write, as repave.ordered(df, ...) does in Python, or write without"
                  + " repave.order.");
      assertThatThrownBy(attempt::commit).hasMessageContaining("are not in the order");
      attempt.abort();
      world.endWithNothingLeft();
    }
  }

  @Test
  void theTasksMessageCarriesTheOrder(@TempDir Path folder) throws Exception {
    UploadWorld world = new UploadWorld(folder);
    TaskAttempt attempt = world.attempt(Readers.LISTING, wanted("c"));
    world.write(attempt, "dt=1", "a.parquet", file("optional int64 c;", longs(1L, 2L, 3L)));
    world.write(attempt, "dt=1", "b.parquet", file("optional int64 c;", longs(2L, 1L)));
    world.write(attempt, "dt=1", "c.parquet", file("optional int64 c;", longs(3L, 4L, 5L)));
    assertThat(UploadWorld.uploads(attempt.commit()))
        .extracting(it -> it.facts().ordered())
        .containsExactly(Optional.of("c"), Optional.empty(), Optional.of("c"));
    world.endWithNothingLeft();
  }
}
