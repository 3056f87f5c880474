package io.repave.core.store;

/**
 * An object in a listing, or the answer to a HEAD.
 *
 * @param modifiedMillis when it was written, by the store's clock
 * @param ageMillis how long that was before the answer, by the store's clock; both times may be
 *     whole seconds. 0 in a listing, and when the store or its SDK does not say
 */
public record ListedObject(
    String key, long bytes, String etag, long modifiedMillis, long ageMillis) {
  /** An object of unknown age. */
  public ListedObject(String key, long bytes, String etag, long modifiedMillis) {
    this(key, bytes, etag, modifiedMillis, 0);
  }
}
