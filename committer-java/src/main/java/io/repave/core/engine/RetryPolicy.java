package io.repave.core.engine;

/**
 * How often to try one request: at most {@code attempts} times, and for at most {@code
 * budgetMillis} after the first failure. The pauses double from {@code firstMillis} to {@code
 * mostMillis}; each is shortened at random by up to half.
 *
 * @param lateMillis how long a write of the head that got no answer may still be applied: 0 where
 *     the store compares, because there a later write makes it fail
 */
public record RetryPolicy(
    int attempts, long firstMillis, long mostMillis, long budgetMillis, long lateMillis) {
  public static final RetryPolicy DEFAULT = new RetryPolicy(12, 100, 10_000, 300_000);

  /** For a store with conditional writes. */
  public RetryPolicy(int attempts, long firstMillis, long mostMillis, long budgetMillis) {
    this(attempts, firstMillis, mostMillis, budgetMillis, 0);
  }
}
