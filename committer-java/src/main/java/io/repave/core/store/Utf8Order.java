package io.repave.core.store;

import java.util.Comparator;

/** The order in which S3 lists keys: by UTF-8 bytes, which is by code point. */
public final class Utf8Order {
  public static final Comparator<String> KEYS = Utf8Order::compare;

  private Utf8Order() {}

  /** Like {@code String.compareTo}, but correct for characters beyond the basic plane. */
  public static int compare(String left, String right) {
    int shared = Math.min(left.length(), right.length());
    for (int i = 0; i < shared; i++) {
      char a = left.charAt(i);
      char b = right.charAt(i);
      if (a != b) {
        return Integer.compare(rank(a), rank(b));
      }
    }
    return Integer.compare(left.length(), right.length());
  }

  /** Surrogates encode code points above all other chars, so they rank above U+E000..U+FFFF. */
  private static int rank(char c) {
    return Character.isSurrogate(c) ? c + 0x10000 : c;
  }
}
