package io.repave.core.store;

/** An object's content together with the tag that a conditional write compares. */
public record StoredObject(byte[] content, String etag) {}
