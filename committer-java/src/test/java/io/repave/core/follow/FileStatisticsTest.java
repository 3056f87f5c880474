package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.record.FollowerState;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileStatisticsTest {
  private static final FollowerState.Column DAY = new FollowerState.Column("day", "date");

  private static String schema(String... columns) {
    return Stream.of(columns)
        .map(it -> it.split(" ", 2))
        .map(it -> "{\"name\":\"%s\",\"type\":\"%s\"}".formatted(it[0], it[1]))
        .collect(Collectors.joining(",", "{\"type\":\"struct\",\"fields\":[", "]}"));
  }

  private static FileStatistics statistics(String... columns) throws Exception {
    return statistics(List.of(), columns);
  }

  private static FileStatistics statistics(List<String> bounded, String... columns)
      throws Exception {
    return FileStatistics.of(new FollowerState("id", 0, List.of(DAY), schema(columns), bounded));
  }

  private static ColumnBounds bounds(String column, String type, String low, String high) {
    return new ColumnBounds(
        column, type, Optional.ofNullable(low), Optional.ofNullable(high), OptionalLong.of(2));
  }

  private static FileFacts facts(ColumnBounds... columns) {
    return FileFacts.ofRows(5).withColumns(List.of(columns));
  }

  @Test
  void aFileHasItsRowsBoundsAndNulls() throws Exception {
    FileFacts facts = facts(bounds("id", "long", "-3", "9"), bounds("note", "string", "a\"", null));
    assertThat(statistics(List.of("id"), "id long", "note string").json(facts))
        .contains(
            "{\"numRecords\":5,\"minValues\":{\"id\":-3,\"note\":\"a\\\"\"},"
                + "\"maxValues\":{\"id\":9},\"nullCount\":{\"id\":2,\"note\":2}}");
    assertThat(statistics("id long").json(FileFacts.ofRows(3))).contains("{\"numRecords\":3}");
    assertThat(statistics("id long").json(FileFacts.NONE)).isEmpty();
  }

  @Test
  void boundsOfAnotherTypeOfAnotherColumnOrOfAPartitionColumnAreLeftOut() throws Exception {
    FileStatistics statistics = statistics(List.of("id"), "id long", "day date");
    for (ColumnBounds other :
        List.of(
            bounds("id", "integer", "1", "2"),
            bounds("ID", "long", "1", "2"),
            bounds("day", "date", "2026-11-22", "2026-11-22"))) {
      assertThat(statistics.json(facts(other))).as(other.toString()).contains("{\"numRecords\":5}");
    }
  }

  @Test
  void moreNullsThanRowsAreNotBelieved() throws Exception {
    ColumnBounds column =
        new ColumnBounds("id", "long", Optional.empty(), Optional.empty(), OptionalLong.of(6));
    assertThat(statistics("id long").json(facts(column))).contains("{\"numRecords\":5}");
    FileFacts unknownRows = FileFacts.NONE.withColumns(List.of(bounds("id", "long", "1", "2")));
    assertThat(statistics(List.of("id"), "id long").json(unknownRows))
        .contains("{\"minValues\":{\"id\":1},\"maxValues\":{\"id\":2}}");
  }

  /** A reader would take a bound that is missing for one above, or below, all values. */
  @Test
  void aFileHasTheBoundsOfAllChosenColumnsOrNone() throws Exception {
    FileStatistics statistics =
        statistics(List.of("id", "note"), "id long", "note string", "n integer");
    ColumnBounds id = bounds("id", "long", "1", "9");
    ColumnBounds other = bounds("n", "integer", "1", "9");
    String none = "{\"numRecords\":5,\"nullCount\":{\"id\":2";
    assertThat(statistics.json(facts(id)).orElseThrow()).startsWith(none);
    assertThat(statistics.json(facts(id, other)).orElseThrow()).startsWith(none);
    assertThat(statistics.json(facts(id, bounds("note", "string", "a", null))).orElseThrow())
        .startsWith(none);
    assertThat(statistics.json(facts(id, bounds("note", "string", "a", "b"))).orElseThrow())
        .contains("\"minValues\":{\"id\":1,\"note\":\"a\"}");
    assertThat(statistics("id long").json(facts(id)).orElseThrow()).startsWith(none);
    ColumnBounds nulls =
        new ColumnBounds("note", "string", Optional.empty(), Optional.empty(), OptionalLong.of(5));
    assertThat(statistics.json(facts(id, nulls)).orElseThrow())
        .contains("\"minValues\":{\"id\":1}", "\"nullCount\":{\"id\":2,\"note\":5}");
  }

  /** An empty field means that the bound is left out. */
  @ParameterizedTest
  @CsvSource({
    "byte, -128, 127, -128, 127",
    "long, -9223372036854775808, 9223372036854775807, -9223372036854775808, 9223372036854775807",
    "long, 007, 1.0, ,",
    "double, -1.0E-300, 1.5, -1.0E-300, 1.5",
    "double, -0.0, 0.0, ,",
    "double, NaN, Infinity, ,",
    "float, 0.10000000149011612, 2.0E10, 0.10000000149011612, 2.0E10",
    "'decimal(12,2)', -9.99, 1.10, -9.99, 1.10",
    "'decimal(38,2)', 123456789012345.6, 12345678901234.5, , 12345678901234.5",
    "date, 2026-11-22, 2026-02-30, '\"2026-11-22\"',",
    "string, a, é, '\"a\"', '\"é\"'",
    "timestamp, 2026-11-22T03:00:00.000001Z, 2026-11-22T03:00:00.000001Z,"
        + " '\"2026-11-22T03:00:00.000Z\"', '\"2026-11-22T03:00:00.001Z\"'",
    "timestamp, 1969-12-31T23:59:59.999000Z, 1969-12-31T23:59:59.999001Z,"
        + " '\"1969-12-31T23:59:59.999Z\"', '\"1970-01-01T00:00:00.000Z\"'",
    "timestamp, 2026-11-22T03:00:00.000000, 9999-12-31T23:59:59.999999Z, ,",
    "boolean, false, true, ,",
    "binary, a, b, ,",
  })
  void onlyWhatEveryReaderReadsAlikeIsABound(
      String type, String low, String high, String minimum, String maximum) throws Exception {
    String min = "\"minValues\":{\"id\":1" + (minimum == null ? "" : ",\"it\":" + minimum) + "},";
    String max = "\"maxValues\":{\"id\":2" + (maximum == null ? "" : ",\"it\":" + maximum) + "},";
    FileFacts facts = facts(bounds("id", "long", "1", "2"), bounds("it", type, low, high));
    assertThat(statistics(List.of("id"), "id long", "it " + type).json(facts))
        .contains("{\"numRecords\":5," + min + max + "\"nullCount\":{\"id\":2,\"it\":2}}");
  }
}
