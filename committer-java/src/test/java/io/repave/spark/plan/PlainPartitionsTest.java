package io.repave.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.hadoop.read.VersionFiles;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.datasources.PartitionSpec;
import org.apache.spark.sql.types.CharType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;

/**
 * Which partitions are read without Spark's inference. That both find the same is compared with
 * real Spark, in {@code tests/e2e/test_plan_from_records.py}.
 */
class PlainPartitionsTest {
  private static final Map<String, DataType> TYPES =
      Map.of(
          "string", DataTypes.StringType,
          "int", DataTypes.IntegerType,
          "bigint", DataTypes.LongType,
          "date", DataTypes.DateType,
          "double", DataTypes.DoubleType,
          "char(3)", new CharType(3));

  private boolean isCaseSensitive;
  private boolean infersOthers = true;

  private Optional<PartitionSpec> found(String schema, String... folders) {
    List<VersionFiles.Folder> all =
        Stream.of(folders)
            .map(it -> new VersionFiles.Folder(it, new Path("repave://b/t/" + it), files()))
            .toList();
    return PlainPartitions.of(all, new DeclaredTypes(given(schema), isCaseSensitive, infersOthers));
  }

  /** The user's columns, as in {@code p int,q string}. Spark's parser does not run here. */
  private static Option<StructType> given(String schema) {
    StructType columns = new StructType();
    for (String column : schema.split(",")) {
      if (!column.isEmpty()) {
        String[] parts = column.split(" ");
        columns = columns.add(parts[0], TYPES.get(parts[1]));
      }
    }
    return schema.isEmpty() ? Option.empty() : Option.apply(columns);
  }

  private static FileStatus[] files() {
    return new FileStatus[0];
  }

  private static String columns(Optional<PartitionSpec> spec) {
    return spec.map(
            it ->
                Stream.of(it.partitionColumns().fields())
                    .map(column -> column.name() + " " + column.dataType().sql())
                    .collect(Collectors.joining(",")))
        .orElse("left to Spark");
  }

  @ParameterizedTest
  @CsvSource({
    "1, -7, INT",
    "2026-11-26, 1500-01-01, DATE",
    "one, two, STRING",
    "one, __HIVE_DEFAULT_PARTITION__, STRING",
    "1, one, left to Spark",
    "1, 1.5, left to Spark",
    "2026-11-26, 2026-13-01, left to Spark",
    "1234567890, 1, left to Spark",
    "a%20b, one, left to Spark",
    "NaN, one, left to Spark",
    "__HIVE_DEFAULT_PARTITION__, __HIVE_DEFAULT_PARTITION__, left to Spark",
  })
  void aTypeIsInferredFromValuesWithoutDoubt(String one, String other, String type) {
    assertThat(columns(found("", "p=" + one, "p=" + other))).isIn("p " + type, type);
  }

  @ParameterizedTest
  @CsvSource({
    "string, 1, one, STRING",
    "string, 01, 2026-11-26, STRING",
    "string, a%20b, one, left to Spark",
    "int, 1, -7, INT",
    "int, 1, one, left to Spark",
    "bigint, 1, 123456789012345678, BIGINT",
    "bigint, 1, 1234567890123456789, left to Spark",
    "date, 2026-11-26, __HIVE_DEFAULT_PARTITION__, DATE",
    "date, 2026-11-26, 2026-11-31, left to Spark",
    "date, __HIVE_DEFAULT_PARTITION__, __HIVE_DEFAULT_PARTITION__, DATE",
    "double, 1, 2, left to Spark",
    "'char(3)', one, two, left to Spark",
  })
  void aTypeOfTheUsersIsTakenIfItsValuesAreWithoutDoubt(
      String declared, String one, String other, String type) {
    var spec = found("id bigint,p " + declared, "p=" + one, "p=" + other);
    assertThat(columns(spec)).isIn("p " + type, type);
  }

  @Test
  void aColumnThatTheUserDoesNotNameIsInferred() {
    assertThat(columns(found("id bigint", "p=1/q=one"))).isEqualTo("p INT,q STRING");
  }

  @Test
  void theUsersSpellingCountsUnlessCaseDoes() {
    assertThat(columns(found("P bigint", "p=1"))).isEqualTo("P BIGINT");
    isCaseSensitive = true;
    assertThat(columns(found("P bigint", "p=1"))).isEqualTo("p INT");
  }

  @Test
  void twoColumnsOfTheUsersWithOneNameAreLeftToSpark() {
    assertThat(found("P bigint,p string", "p=1")).isEmpty();
  }

  @Test
  void valuesAreTextsWithoutInference() {
    infersOthers = false;
    var spec = found("q int", "p=01/q=1", "p=__HIVE_DEFAULT_PARTITION__/q=2");
    assertThat(columns(spec)).isEqualTo("p STRING,q INT");
    var rows = spec.orElseThrow().partitions();
    assertThat(rows.apply(0).values().getUTF8String(0)).hasToString("01");
    assertThat(rows.apply(1).values().isNullAt(0)).isTrue();
  }

  @Test
  void aColumnOfNullsAloneIsLeftToSparkWithoutInference() {
    infersOthers = false;
    String none = "__HIVE_DEFAULT_PARTITION__";
    assertThat(found("", "p=" + none)).isEmpty();
    assertThat(found("q string", "p=" + none + "/q=1", "p=" + none + "/q=2")).isEmpty();
    assertThat(columns(found("", "p=" + none, "p=01"))).isEqualTo("p STRING");
    assertThat(columns(found("p string", "p=" + none))).isEqualTo("p STRING");
  }

  @Test
  void foldersOfDifferentDepthOrNamesAreLeftToSpark() {
    for (String other : Arrays.asList("", "q=1", "P=1", "p=", "p", "p=1/q=1")) {
      assertThat(found("", "p=1", other)).as(other).isEmpty();
    }
  }
}
