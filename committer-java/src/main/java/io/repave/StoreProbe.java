package io.repave;

/**
 * Whether a store supports atomic conditional writes, which every commit needs.
 *
 * @param isSafe whether any number of jobs may write to one table
 * @param reason what is missing; "" if nothing is
 */
public record StoreProbe(boolean isSafe, String reason) {}
