package io.repave.core.record;

/** A file in a record: its path inside its partition, and its size. */
public record FileEntry(String name, long bytes) {}
