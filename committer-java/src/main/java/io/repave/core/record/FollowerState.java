package io.repave.core.record;

import java.util.List;

/**
 * What a follower needs to know of the table from a version on: a new record is written when it
 * changes.
 *
 * @param schema the columns of the files, as the JSON of a Spark {@code StructType}
 */
public record FollowerState(
    String follower, long version, List<Column> partitionColumns, String schema) {
  /** The longest schema, in characters. */
  public static final int SCHEMA_MAX = 1 << 20;

  public FollowerState {
    partitionColumns = List.copyOf(partitionColumns);
  }

  /** A partition column and the type of its values. */
  public record Column(String name, String type) {}
}
