package io.repave.core.store;

/** An object in a listing, or the answer to a HEAD. */
public record ListedObject(String key, long bytes, String etag, long modifiedMillis) {}
