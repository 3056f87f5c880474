package io.repave.hadoop.footer;

import java.util.Arrays;

/**
 * Compares texts that a writer may have cut. A cut {@code min} is the beginning of the value. A cut
 * {@code max} is its beginning too, with a last byte that was raised.
 */
final class TruncatedText {
  /** A raised byte up to this one is the last one of the text, because it could be raised. */
  private static final int RAISED_MAX = 0x7E;

  private TruncatedText() {}

  /** Whether the value behind {@code max} is certainly above the one behind {@code min}. */
  static boolean isAbove(Object max, Object min, int exactBytes) {
    if (!(max instanceof byte[] high) || !(min instanceof byte[] low)) {
      return false;
    }
    byte[] least = high;
    if (high.length > exactBytes) {
      int last = high[high.length - 1];
      if (last < 1 || last > RAISED_MAX) {
        return false;
      }
      least = high.clone();
      least[least.length - 1]--;
    }
    boolean cut = low.length > exactBytes && least.length > low.length;
    byte[] compared = cut ? Arrays.copyOf(least, low.length) : least;
    return Arrays.compareUnsigned(compared, low) > 0;
  }
}
