package io.repave.core.engine;

/**
 * How often to try one request: at most {@code attempts} times and for at most {@code budgetMillis}
 * in total. The pauses double from {@code firstMillis} to {@code mostMillis}; each is shortened at
 * random by up to half.
 */
public record RetryPolicy(int attempts, long firstMillis, long mostMillis, long budgetMillis) {
  public static final RetryPolicy DEFAULT = new RetryPolicy(12, 100, 10_000, 300_000);
}
