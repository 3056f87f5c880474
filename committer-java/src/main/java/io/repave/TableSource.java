package io.repave;

import io.repave.core.Table;
import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.StoreFindings;
import java.io.IOException;

/** Where {@link RepaveTable} gets its engine and its settings from. */
interface TableSource {
  /** The engine, for a table that exists. */
  Table table() throws IOException;

  /** The engine, for a commit that may create the table. */
  Table tableToBegin() throws IOException;

  /** Refuses the path of a partition, for a change of the whole table. */
  void requireWholeTable() throws InvalidConfigException;

  /** How long the configuration keeps replaced files. */
  long retentionMillis() throws IOException;

  /** Tests the store with temporary objects. */
  StoreFindings tryOutStore() throws IOException, InterruptedException;
}
