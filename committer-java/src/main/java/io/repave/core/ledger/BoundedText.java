package io.repave.core.ledger;

import java.nio.charset.StandardCharsets;

/** Texts of files and records, which may hold anything and go into other records. */
final class BoundedText {
  private BoundedText() {}

  /** Whether a text is at most this long in UTF-8 and can be written: no half surrogate pair. */
  static boolean fits(String text, int bytesMax) {
    return text.length() <= bytesMax
        && utf8Bytes(text) <= bytesMax
        && StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  static int utf8Bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
