package io.repave.core.store;

/** An object's content, and the etag that a conditional write compares. */
public record StoredObject(byte[] content, String etag) {}
