package io.repave;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A data file of a table.
 *
 * @param name the path inside the file's partition
 * @param rows the number of rows; empty when it is unknown
 * @param schema the columns without the partition's, as Spark's JSON text for a row type ({@code
 *     DataType.fromJson} reads it); empty when they are unknown
 */
public record DataFile(String name, long bytes, OptionalLong rows, Optional<String> schema) {}
