package io.repave.hadoop.footer;

import io.repave.core.ledger.ColumnBounds;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Texts as bounds of at most {@link ColumnBounds#VALUE_BYTES_MAX} bytes. Texts are ordered by the
 * bytes of their UTF-8, which is the order of their code points. A writer may have cut a value
 * within a character.
 */
final class StatisticText {
  private static final int BYTES_MAX = ColumnBounds.VALUE_BYTES_MAX;

  private StatisticText() {}

  /** The longest beginning that is valid text; a beginning is never greater than the whole. */
  static Optional<String> low(byte[] value) {
    return Optional.of(beginning(value));
  }

  /** The text itself if it fits, else the next text after all that have the same beginning. */
  static Optional<String> high(byte[] value) {
    String text = beginning(value);
    if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), value)) {
      return Optional.of(text);
    }
    int[] points = text.codePoints().toArray();
    for (int last = points.length - 1; last >= 0; last--) {
      if (points[last] < Character.MAX_CODE_POINT) {
        // Surrogates are no characters.
        int next = points[last] + 1 == Character.MIN_SURROGATE ? 0xE000 : points[last] + 1;
        String raised = new String(points, 0, last) + Character.toString(next);
        if (raised.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX) {
          return Optional.of(raised);
        }
      }
    }
    return Optional.empty();
  }

  private static String beginning(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value, 0, Math.min(value.length, BYTES_MAX));
    CharBuffer out = CharBuffer.allocate(BYTES_MAX);
    // A new decoder reports damage, so it stops before it.
    StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
    return out.flip().toString();
  }
}
