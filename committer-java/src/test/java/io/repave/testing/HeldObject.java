package io.repave.testing;

/** An object in a MemoryObjectStore. Copies of a store share the array, which never changes. */
public record HeldObject(byte[] content, String etag, long modifiedMillis) {}
