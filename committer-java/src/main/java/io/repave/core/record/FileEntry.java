package io.repave.core.record;

/** A file as the history names it: its path inside its partition, and its size. */
public record FileEntry(String name, long bytes) {}
