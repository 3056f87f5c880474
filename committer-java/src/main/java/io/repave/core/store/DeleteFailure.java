package io.repave.core.store;

/** A key that a bulk delete did not delete, with the store's reason. */
public record DeleteFailure(Location at, String reason) {}
