package io.repave;

import io.repave.core.ledger.ColumnBounds;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A data file of a table.
 *
 * @param name the path inside the file's partition
 * @param rows the number of rows; empty when it is unknown
 * @param schema the columns without the partition's, as Spark's JSON text for a row type ({@code
 *     DataType.fromJson} reads it); empty when they are unknown
 * @param columns the bounds of the columns that {@code repave.stats.columns} named
 * @param ordered the order in which each page of the file sorts after the one before it, as far as
 *     {@code repave.order} named it; empty when it is unknown
 */
public record DataFile(
    String name,
    long bytes,
    OptionalLong rows,
    Optional<String> schema,
    List<ColumnBounds> columns,
    Optional<String> ordered) {
  public DataFile {
    columns = List.copyOf(columns);
  }
}
