package io.repave.hadoop.upload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentsTest {
  private static final int PART_BYTES = 8 << 20;

  /** G1's regions have at least 1 MiB, and an array of half a region gets its own region. */
  private static final int HUMONGOUS_BYTES = 512 * 1024;

  private static Segments filled(byte[] content) throws IOException {
    Segments segments = new Segments();
    ByteArrayInputStream in = new ByteArrayInputStream(content);
    while (segments.filled() < content.length) {
      if (segments.room() == 0) {
        segments.grow(segments.nextBytes(PART_BYTES));
      }
      segments.readFrom(in);
    }
    return segments;
  }

  private static byte[] joined(Segments segments) {
    ByteBuffer all = ByteBuffer.allocate(segments.filled());
    segments.views().forEach(all::put);
    return all.array();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 32 * 1024 - 64, 32 * 1024, 1_000_000, PART_BYTES - 1, PART_BYTES})
  void whatIsWrittenIsThereInOrder(int bytes) throws IOException {
    byte[] content = UploadWorld.random(bytes);

    assertThat(joined(filled(content))).isEqualTo(content);
  }

  @Test
  void noArrayIsLargeEnoughForRegionsOfItsOwnAndNoneIsLeftOver() throws IOException {
    Segments whole = filled(new byte[PART_BYTES]);

    assertThat(whole.capacity()).isEqualTo(PART_BYTES);
    assertThat(whole.views())
        .allSatisfy(view -> assertThat(view.capacity()).isLessThan(HUMONGOUS_BYTES / 2));
  }

  @Test
  void aSmallFileCostsLittle() throws IOException {
    assertThat(filled(new byte[1]).capacity()).isLessThanOrEqualTo(32 * 1024);
  }
}
