package io.repave.testing;

/** An object as the store in memory holds it. Nobody changes the array: copies share it. */
public record HeldObject(byte[] content, String etag, long modifiedMillis) {}
