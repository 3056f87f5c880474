package io.repave;

import java.util.OptionalLong;

/**
 * A data file of a table.
 *
 * @param name the path inside the file's partition
 * @param rows the number of rows; empty when it is unknown
 */
public record DataFile(String name, long bytes, OptionalLong rows) {}
