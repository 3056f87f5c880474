package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.SchemaList;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads and writes a list of files as JSON; an empty list is omitted. {@code schemas} are those of
 * the record.
 */
final class FileEntryJson {
  private FileEntryJson() {}

  static void put(ObjectNode json, String name, List<FileEntry> files, SchemaList schemas) {
    if (files.isEmpty()) {
      return;
    }
    ArrayNode array = json.putArray(name);
    for (FileEntry file : files) {
      ObjectNode each = array.addObject().put("name", file.name()).put("bytes", file.bytes());
      FactsJson.put(each, file.facts(), schemas);
    }
  }

  static List<FileEntry> read(Fields json, String name, SchemaList schemas)
      throws InvalidRecordException {
    List<FileEntry> files = new ArrayList<>();
    for (Fields file : json.optionalObjects(name)) {
      String path = RecordNames.checkPath(file.text("name"), json.where());
      files.add(new FileEntry(path, file.number("bytes"), FactsJson.read(file, schemas)));
    }
    return files;
  }
}
