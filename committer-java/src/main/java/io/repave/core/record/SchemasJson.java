package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.SchemaList;
import java.util.Optional;

/** Reads and writes the distinct schemas of a record's files; no schemas are omitted. */
final class SchemasJson {
  private static final String SCHEMAS = "schemas";
  private static final String JSON = "json";
  private static final String DDL = "ddl";

  private SchemasJson() {}

  /** Writes the schemas that the record's files have been given places for. */
  static void put(ObjectNode json, SchemaList schemas) {
    if (schemas.size() == 0) {
      return;
    }
    ArrayNode array = json.putArray(SCHEMAS);
    for (int place = 0; place < schemas.size(); place++) {
      String text = schemas.at(place).map(Schema::json).orElseThrow();
      Optional<String> ddl = SchemaDdl.of(text);
      TextPieces.put(array.addObject().putArray(ddl.isPresent() ? DDL : JSON), ddl.orElse(text));
    }
  }

  static SchemaList read(Fields json) throws InvalidRecordException {
    SchemaList schemas = new SchemaList();
    for (Fields each : json.optionalObjects(SCHEMAS)) {
      Optional<Schema> schema = schema(each);
      if (schema.isEmpty() || !schemas.add(schema)) {
        throw json.wrong(SCHEMAS);
      }
    }
    return schemas;
  }

  /** A record has the short form of a schema, or its JSON text; both are in pieces. */
  private static Optional<Schema> schema(Fields each) throws InvalidRecordException {
    if (each.has(JSON)) {
      return Schema.of(String.join("", each.texts(JSON)));
    }
    return SchemaDdl.json(String.join("", each.optionalTexts(DDL))).flatMap(Schema::of);
  }
}
