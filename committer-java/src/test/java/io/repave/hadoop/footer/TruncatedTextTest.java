package io.repave.hadoop.footer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.parquet.internal.column.columnindex.BinaryTruncator;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Types;
import org.junit.jupiter.api.Test;

/** Cut texts are those of Parquet's own writer. */
class TruncatedTextTest {
  private static final int CUT = 8;
  private static final int WHOLE =
      WantedFacts.of(StatsColumns.NONE, FileOrder.NONE, CUT).exactBytes();
  private static final BinaryTruncator CUTTER =
      BinaryTruncator.getTruncator(
          Types.required(PrimitiveType.PrimitiveTypeName.BINARY)
              .as(LogicalTypeAnnotation.stringType())
              .named("c"));

  private static final String[] CHARACTERS = {
    "a", "b", "~", "\u007f", "é", "\u07ff", "\uffff", "\ud7ff", "\udbff\udfff", "\ud83d\ude00"
  };

  private static String text(Random random) {
    return random
        .ints(random.nextInt(14), 0, random.nextBoolean() ? 3 : CHARACTERS.length)
        .mapToObj(it -> CHARACTERS[it])
        .collect(Collectors.joining());
  }

  @Test
  void aTextIsNeverCalledAboveOneThatItIsNotAbove() {
    int above = 0;
    int found = 0;
    for (int seed = 0; seed < 200_000; seed++) {
      Random random = new Random(seed);
      Binary max = Binary.fromString(text(random));
      Binary min = Binary.fromString(text(random));
      boolean isAbove = java.util.Arrays.compareUnsigned(max.getBytes(), min.getBytes()) > 0;
      boolean isSaid =
          TruncatedText.isAbove(
              CUTTER.truncateMax(max, CUT).getBytes(),
              CUTTER.truncateMin(min, CUT).getBytes(),
              WHOLE);
      assertThat(isSaid && !isAbove).as("seed %d", seed).isFalse();
      above += isAbove ? 1 : 0;
      found += isSaid ? 1 : 0;
    }
    assertThat(found).isGreaterThan(above / 2);
  }

  @Test
  void onlyTextsAreCut() {
    assertThat(TruncatedText.isAbove(2L, 1L, WHOLE)).isFalse();
    byte[] text = "b".getBytes(StandardCharsets.UTF_8);
    assertThat(TruncatedText.isAbove(text, "a".getBytes(StandardCharsets.UTF_8), WHOLE)).isTrue();
    assertThat(TruncatedText.isAbove(text, text, WHOLE)).isFalse();
  }
}
