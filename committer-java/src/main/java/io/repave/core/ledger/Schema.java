package io.repave.core.ledger;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The columns of a file, as the JSON text that Spark writes for a row type. Delta's logs have the
 * same form. The text comes from a file or a record, so it may hold anything.
 *
 * @param json at most {@link #BYTES_MAX} bytes of UTF-8, and not empty
 */
public record Schema(String json) {
  /** A longer schema is unknown: each record that names a file with it would carry it. */
  public static final int BYTES_MAX = 256 << 10;

  public Schema {
    if (!isPossible(json)) {
      throw new IllegalArgumentException("A schema is empty, too long or not valid Unicode.");
    }
  }

  /** The schema with this text; empty if the text is empty, too long or not valid Unicode. */
  public static Optional<Schema> of(String json) {
    return isPossible(json) ? Optional.of(new Schema(json)) : Optional.empty();
  }

  private static boolean isPossible(String json) {
    return !json.isEmpty()
        && json.length() <= BYTES_MAX
        && utf8Bytes(json) <= BYTES_MAX
        && StandardCharsets.UTF_8.newEncoder().canEncode(json);
  }

  /** The size of the text in UTF-8. */
  int bytes() {
    return utf8Bytes(json);
  }

  private static int utf8Bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
