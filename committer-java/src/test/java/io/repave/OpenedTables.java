package io.repave;

import io.repave.core.Table;
import io.repave.hadoop.StoreFindings;
import java.io.IOException;
import java.util.List;

/** Opens tables over an engine with a store of the test's own. */
public final class OpenedTables {
  /** The configured retention of these tables. */
  static final long RETENTION_MILLIS = 3_600_000;

  private OpenedTables() {}

  public static RepaveTable over(String name, Table table) throws IOException {
    return new RepaveTable(name, new OneEngine(table));
  }

  private record OneEngine(Table table) implements TableSource {
    @Override
    public Table tableToBegin() {
      return table;
    }

    @Override
    public void requireWholeTable() {
      // These tables have no paths.
    }

    @Override
    public long retentionMillis() {
      return RETENTION_MILLIS;
    }

    @Override
    public StoreFindings tryOutStore() {
      return new StoreFindings(false, List.of("If-Match is ignored.", "Listings are stale."));
    }
  }
}
