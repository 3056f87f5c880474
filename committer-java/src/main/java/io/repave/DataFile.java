package io.repave;

/**
 * A data file of a table.
 *
 * @param name the path inside the file's partition
 */
public record DataFile(String name, long bytes) {}
