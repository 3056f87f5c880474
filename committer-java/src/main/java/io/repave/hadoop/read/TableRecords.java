package io.repave.hadoop.read;

import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Optional;

/** Where the file system learns what a table's records say. */
public interface TableRecords {
  /** The table whose records lie in this folder; empty when there are none. */
  Optional<TableState> find(Location table) throws IOException;
}
