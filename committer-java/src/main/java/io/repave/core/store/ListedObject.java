package io.repave.core.store;

import java.util.OptionalLong;

/**
 * An object in a listing, or the answer to a HEAD.
 *
 * @param modifiedMillis when it was written, by the store's clock
 * @param ageMillis how long that was before the answer, by the store's clock; both times may be
 *     whole seconds. {@link #UNKNOWN_AGE} in a listing, and when the store or its SDK does not say
 */
public record ListedObject(
    String key, long bytes, String etag, long modifiedMillis, long ageMillis) {
  public static final long UNKNOWN_AGE = -1;

  /** When the store answered, by its clock; empty when the age is unknown. */
  public OptionalLong answeredMillis() {
    return ageMillis == UNKNOWN_AGE
        ? OptionalLong.empty()
        : OptionalLong.of(modifiedMillis + ageMillis);
  }
}
