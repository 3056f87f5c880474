package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;

/** Divides a text that may be too long for one member of a record. */
final class TextPieces {
  /** Readers, also those of version 0.1, refuse a record with a text of more than 8,192. */
  private static final int CHARS = 8_000;

  private TextPieces() {}

  static void put(ArrayNode pieces, String text) {
    int from = 0;
    while (from < text.length()) {
      int to = Math.min(from + CHARS, text.length());
      // Surrogate pairs stay together; otherwise a piece would not be valid text.
      if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) {
        to--;
      }
      pieces.add(text.substring(from, to));
      from = to;
    }
  }
}
