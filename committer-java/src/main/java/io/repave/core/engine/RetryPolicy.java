package io.repave.core.engine;

/**
 * How long to try one request: at most {@code attempts} times, with pauses that double from {@code
 * firstMillis} to {@code mostMillis}, each shortened at random by up to half, and no longer than
 * {@code budgetMillis} in all.
 */
public record RetryPolicy(int attempts, long firstMillis, long mostMillis, long budgetMillis) {
  public static final RetryPolicy DEFAULT = new RetryPolicy(12, 100, 10_000, 300_000);
}
