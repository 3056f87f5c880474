package io.repave.core.record;

import java.util.List;

/**
 * What a follower needs to know of the table from a version on: a new record is written when it
 * changes.
 *
 * @param schema the columns of the files, as the JSON of a Spark {@code StructType}
 * @param bounded the columns of which a file has all bounds in a Delta log, or the file has none
 */
public record FollowerState(
    String follower,
    long version,
    List<Column> partitionColumns,
    String schema,
    List<String> bounded) {
  /** The longest schema, in characters. */
  public static final int SCHEMA_MAX = 1 << 20;

  public FollowerState {
    partitionColumns = List.copyOf(partitionColumns);
    bounded = List.copyOf(bounded);
  }

  /** A partition column and the type of its values. */
  public record Column(String name, String type) {}
}
