package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Optional;

/** Finds the records of tables for the file system. */
public interface TableRecords {
  /** The state of the table in this folder; empty when there are no records. */
  Optional<TableState> find(Location table) throws IOException;

  /** Throws if this table has lost its head, but not the records of its commits. */
  void requireHeadNotDeleted(Location table) throws IOException;
}
