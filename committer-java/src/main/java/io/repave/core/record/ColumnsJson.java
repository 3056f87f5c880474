package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.ColumnBounds;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes the bounds of a file's columns; what is unknown is omitted. */
final class ColumnsJson {
  private static final String COLUMNS = "columns";
  private static final String LOW = "low";
  private static final String HIGH = "high";
  private static final String NULLS = "nulls";

  private ColumnsJson() {}

  static void put(ObjectNode file, List<ColumnBounds> columns) {
    if (columns.isEmpty()) {
      return;
    }
    ArrayNode array = file.putArray(COLUMNS);
    for (ColumnBounds column : columns) {
      ObjectNode json = array.addObject().put("name", column.column()).put("type", column.type());
      column.low().ifPresent(low -> json.put(LOW, low));
      column.high().ifPresent(high -> json.put(HIGH, high));
      column.nulls().ifPresent(nulls -> json.put(NULLS, nulls));
    }
  }

  static List<ColumnBounds> read(Fields file) throws InvalidRecordException {
    if (!file.has(COLUMNS)) {
      return List.of();
    }
    List<ColumnBounds> columns = new ArrayList<>();
    for (Fields json : file.objects(COLUMNS)) {
      ColumnBounds column =
          new ColumnBounds(
              json.text("name"),
              json.text("type"),
              json.knownText(LOW),
              json.knownText(HIGH),
              json.knownNumber(NULLS));
      if (!column.isPossible() || columns.size() == ColumnBounds.COLUMNS_MAX) {
        throw file.wrong(COLUMNS);
      }
      columns.add(column);
    }
    return columns;
  }
}
