package io.repave.spark.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.DataFile;
import io.repave.core.ledger.ColumnBounds;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files of one document, which states each of their schemas once. */
final class DataFilesJson {
  private final Map<String, Integer> schemas = new LinkedHashMap<>();

  /** Adds a list of files to an object of the document. */
  void put(ObjectNode object, String name, List<DataFile> files) {
    ArrayNode all = object.putArray(name);
    for (DataFile file : files) {
      Long rows = TableJson.known(file.rows());
      ObjectNode each =
          all.addObject().put("name", file.name()).put("bytes", file.bytes()).put("rows", rows);
      file.schema().ifPresent(schema -> each.put("schema", place(schema)));
      if (!file.columns().isEmpty()) {
        ArrayNode columns = each.putArray("columns");
        file.columns().forEach(column -> put(columns.addObject(), column));
      }
      file.ordered().ifPresent(order -> each.put("ordered", order));
    }
  }

  private static void put(ObjectNode json, ColumnBounds column) {
    json.put("name", column.column())
        .put("type", column.type())
        .put("low", column.low().orElse(null))
        .put("high", column.high().orElse(null))
        .put("nulls", TableJson.known(column.nulls()));
  }

  private int place(String schema) {
    return schemas.computeIfAbsent(schema, it -> schemas.size());
  }

  /** Adds the schemas of all files that were put, if any is known. */
  void putSchemas(ObjectNode document) {
    if (!schemas.isEmpty()) {
      schemas.keySet().forEach(document.putArray("schemas")::add);
    }
  }
}
