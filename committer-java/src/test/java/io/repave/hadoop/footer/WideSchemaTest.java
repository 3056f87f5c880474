package io.repave.hadoop.footer;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.ledger.Schema;
import io.repave.hadoop.footer.ParquetColumn.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A task may write thousands of wide files, and each file keeps its schema until the task ends. */
class WideSchemaTest {
  private static ParquetColumn element(String name, int type, int children) {
    return new ParquetColumn(
        name, type, 0, ParquetColumn.REQUIRED, children, Annotation.NONE, 0, 0, false);
  }

  private static List<ParquetColumn> columns(int count) {
    List<ParquetColumn> columns = new ArrayList<>(List.of(element("spark_schema", -1, count)));
    for (int i = 0; i < count; i++) {
      columns.add(element("c" + i, ParquetColumn.INT64, 0));
    }
    return columns;
  }

  @Test
  void filesWithTheSameManyColumnsShareOneSchema() {
    Schema first = SparkSchema.of(columns(2_000), Optional.empty()).orElseThrow();
    assertThat(SparkSchema.of(columns(2_000), Optional.empty()).orElseThrow()).isSameAs(first);
    assertThat(SparkSchema.of(columns(2_001), Optional.empty()).orElseThrow()).isNotEqualTo(first);
  }
}
