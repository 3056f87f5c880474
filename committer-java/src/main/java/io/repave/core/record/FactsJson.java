package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.SchemaList;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads and writes what is known of files' content; an unknown fact is omitted. */
public final class FactsJson {
  static final String ROWS_IN = "rows-in";
  static final String ROWS_OUT = "rows-out";
  private static final String ROWS = "rows";
  private static final String SCHEMA = "schema";
  private static final String ORDERED = "ordered";

  private FactsJson() {}

  /** Writes the facts of a file; {@code schemas} are those of its record. */
  static void put(ObjectNode file, FileFacts facts, SchemaList schemas) {
    put(file, ROWS, facts.rows());
    int schema = schemas.place(facts.schema());
    if (schema >= 0) {
      file.put(SCHEMA, schema);
    }
    ColumnsJson.put(file, facts.columns());
    facts.ordered().ifPresent(order -> file.put(ORDERED, order));
  }

  /**
   * Reads the facts of a file; {@code schemas} are those of its record. In a record without schemas
   * they are unknown, whatever its files say.
   */
  static FileFacts read(Fields file, SchemaList schemas) throws InvalidRecordException {
    // The same object for every file without facts, as there may be very many.
    FileFacts facts = file.has(ROWS) ? FileFacts.ofRows(file.number(ROWS)) : FileFacts.NONE;
    return facts
        .withSchema(schema(file, schemas))
        .withColumns(ColumnsJson.read(file))
        .withOrdered(ordered(file));
  }

  private static Optional<String> ordered(Fields file) throws InvalidRecordException {
    if (!file.has(ORDERED)) {
      return Optional.empty();
    }
    String order = file.text(ORDERED);
    if (!FileFacts.isOrder(order)) {
      throw file.wrong(ORDERED);
    }
    return Optional.of(order);
  }

  private static Optional<Schema> schema(Fields file, SchemaList schemas)
      throws InvalidRecordException {
    if (!file.has(SCHEMA)) {
      return Optional.empty();
    }
    long schema = file.number(SCHEMA);
    if (schemas.size() == 0) {
      return Optional.empty();
    }
    if (schema >= schemas.size()) {
      throw file.wrong(SCHEMA);
    }
    return schemas.at((int) schema);
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
}
