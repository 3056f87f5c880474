package io.repave.s3;

import io.repave.core.store.StoreException;

/** The limit of what is read into memory at once. */
final class WholeObject {
  private static final int MOST_BYTES = Integer.MAX_VALUE - 16;

  private WholeObject() {}

  /** One byte more than allowed: that many arrive only when the object is too large. */
  static int mostBytes(long allowed) {
    return (int) Math.min(allowed + 1, MOST_BYTES);
  }

  static StoreException tooLarge(String bucket, String key, long allowed) {
    return new StoreException(
        StoreException.Kind.INVALID,
        "s3://" + bucket + "/" + key + " is larger than the " + allowed + " bytes it may have");
  }
}
