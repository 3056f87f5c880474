package io.repave.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Comparator;

/** UTF-8 order and length, computed from the bytes and not by the code under test. */
final class Utf8 {
  static final Comparator<String> ORDER =
      (left, right) -> Arrays.compareUnsigned(left.getBytes(UTF_8), right.getBytes(UTF_8));

  private Utf8() {}

  static int bytes(CharSequence text) {
    return text.toString().getBytes(UTF_8).length;
  }
}
