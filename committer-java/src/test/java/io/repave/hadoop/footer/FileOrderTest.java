package io.repave.hadoop.footer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileOrderTest {
  @Test
  void anOrderIsReadAsSqlWritesIt() {
    assertThat(FileOrder.of("id, Ts DESC,`a, ``b``` asc NULLS Last").orElseThrow().columns())
        .isEqualTo(
            List.of(
                new SortColumn("id", false, false),
                new SortColumn("Ts", true, true),
                new SortColumn("a, `b`", false, true)));
    assertThat(FileOrder.of("").orElseThrow().isEmpty()).isTrue();
    assertThat(FileOrder.of("  ").orElseThrow().isEmpty()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "id|id",
        "ID  Asc nulls FIRST |ID",
        "id desc nulls last|id desc",
        "id desc nulls first,b nulls last|id desc nulls first, b nulls last",
        "désc desc|`désc` desc",
        "`id`|id",
        "desc desc|desc desc"
      })
  void equalOrdersHaveOneText(String text, String canonical) {
    assertThat(FileOrder.of(text).orElseThrow().text()).isEqualTo(canonical);
    assertThat(FileOrder.of(canonical).orElseThrow().text()).isEqualTo(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",",
        "id,",
        ",id",
        "id,,b",
        "id up",
        "id desc asc",
        "id nulls",
        "a.b",
        "`a",
        "a b",
        "``",
        "id, ID desc",
        "a,b,c,d,e,f,g,h,i",
        "id nulls last desc"
      })
  void otherTextsAreNoOrder(String text) {
    assertThat(FileOrder.of(text)).isEmpty();
  }

  @Test
  void aVeryLongTextIsNoOrder() {
    assertThat(FileOrder.of("`" + "``".repeat(100_000) + "`")).isEmpty();
    assertThat(FileOrder.of("a".repeat(1_025))).isEmpty();
    assertThat(FileOrder.of("`" + "``".repeat(500) + "`")).isPresent();
  }
}
