package io.repave.hadoop.read;

import io.repave.core.store.Location;

/** Records of tables whose heads nobody deletes. */
@FunctionalInterface
public interface HeadsInPlace extends TableRecords {
  @Override
  default void requireHeadNotDeleted(Location table) {}
}
