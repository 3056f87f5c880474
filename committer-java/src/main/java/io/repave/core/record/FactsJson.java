package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.FileFacts;
import java.util.OptionalLong;

/** Reads and writes what is known of files' content; an unknown fact is omitted. */
public final class FactsJson {
  static final String ROWS_IN = "rows-in";
  static final String ROWS_OUT = "rows-out";
  private static final String ROWS = "rows";

  private FactsJson() {}

  static void put(ObjectNode file, FileFacts facts) {
    put(file, ROWS, facts.rows());
  }

  static FileFacts read(Fields file) throws InvalidRecordException {
    // The same object for every file without facts, as there may be very many.
    return file.has(ROWS) ? FileFacts.ofRows(file.number(ROWS)) : FileFacts.NONE;
  }

  /** Writes the rows of all files. No files have no rows, which goes without saying. */
  public static void put(ObjectNode json, FileTotals totals) {
    if (totals.filesIn() > 0) {
      put(json, ROWS_IN, totals.rowsIn());
    }
    if (totals.filesOut() > 0) {
      put(json, ROWS_OUT, totals.rowsOut());
    }
  }

  private static void put(ObjectNode json, String name, OptionalLong number) {
    number.ifPresent(known -> json.put(name, known));
  }

  static OptionalLong read(Fields json, String name) throws InvalidRecordException {
    return json.has(name) ? OptionalLong.of(json.number(name)) : OptionalLong.empty();
  }
}
