package io.repave.core.follow;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.DeltaLogErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.FollowerState;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The columns of files, in the JSON form that Spark and Delta share. Every column is nullable,
 * because a file may lack it.
 */
final class FileSchema {
  private static final Set<String> PLAIN =
      Set.of(
          "string",
          "long",
          "integer",
          "short",
          "byte",
          "float",
          "double",
          "boolean",
          "binary",
          "date",
          "timestamp");
  private static final Pattern DECIMAL = Pattern.compile("decimal\\([0-9]{1,2},-?[0-9]{1,2}\\)");
  private static final int DEPTH_MAX = 64;
  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(2 * DEPTH_MAX)
                          .maxStringLength(FollowerState.SCHEMA_MAX)
                          .build())
                  .build())
          .build();

  /** The types of the columns by name, in their order. */
  private final Map<String, JsonNode> columns;

  private FileSchema(Map<String, JsonNode> columns) {
    this.columns = columns;
  }

  static final FileSchema EMPTY = new FileSchema(Map.of());

  /** Reads the JSON of a struct; refuses types that a plain Delta table cannot have. */
  static FileSchema read(String json) throws InvalidRecordException {
    JsonNode tree;
    try {
      tree = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw DeltaLogErrors.unreadableSchema();
    }
    if (json.length() > FollowerState.SCHEMA_MAX || !tree.path("type").asText().equals("struct")) {
      throw DeltaLogErrors.unreadableSchema();
    }
    return new FileSchema(fields(tree));
  }

  private static Map<String, JsonNode> fields(JsonNode struct) throws InvalidRecordException {
    Map<String, JsonNode> fields = new LinkedHashMap<>();
    for (JsonNode field : struct.path("fields")) {
      String name = field.path("name").asText();
      if (fields.put(name, type(name, field.path("type"))) != null) {
        throw DeltaLogErrors.unreadableSchema();
      }
    }
    requireDistinct(fields);
    return fields;
  }

  /** A type without what differs between files: metadata, and whether there are nulls. */
  private static JsonNode type(String column, JsonNode type) throws InvalidRecordException {
    if (type.isTextual()) {
      String name = type.asText();
      if (!PLAIN.contains(name) && !DECIMAL.matcher(name).matches()) {
        throw DeltaLogErrors.unsupportedType(column, name);
      }
      return type;
    }
    ObjectNode plain = JSON.createObjectNode();
    String kind = type.path("type").asText();
    plain.put("type", kind);
    switch (kind) {
      case "struct" -> plain.set("fields", written(fields(type)));
      case "array" -> {
        plain.set("elementType", type(column, type.path("elementType")));
        plain.put("containsNull", true);
      }
      case "map" -> {
        plain.set("keyType", type(column, type.path("keyType")));
        plain.set("valueType", type(column, type.path("valueType")));
        plain.put("valueContainsNull", true);
      }
      default -> throw DeltaLogErrors.unsupportedType(column, kind);
    }
    return plain;
  }

  private static ArrayNode written(Map<String, JsonNode> columns) {
    ArrayNode fields = JSON.createArrayNode();
    columns.forEach(
        (name, type) -> {
          ObjectNode field = fields.addObject().put("name", name);
          field.set("type", type);
          field.put("nullable", true).putObject("metadata");
        });
    return fields;
  }

  /** These columns and those of other files; refuses a column whose type differs. */
  FileSchema with(FileSchema other) throws InvalidRecordException {
    return new FileSchema(union(columns, other.columns));
  }

  private static Map<String, JsonNode> union(
      Map<String, JsonNode> mine, Map<String, JsonNode> others) throws InvalidRecordException {
    Map<String, JsonNode> all = new LinkedHashMap<>(mine);
    for (Map.Entry<String, JsonNode> column : others.entrySet()) {
      JsonNode known = all.get(column.getKey());
      all.put(
          column.getKey(),
          known == null ? column.getValue() : both(column.getKey(), known, column.getValue()));
    }
    requireDistinct(all);
    return all;
  }

  /** One type for two files: structs may have other fields, other types must be equal. */
  private static JsonNode both(String column, JsonNode mine, JsonNode other)
      throws InvalidRecordException {
    boolean structs =
        mine.path("type").asText().equals("struct") && other.path("type").asText().equals("struct");
    if (structs) {
      ObjectNode struct = JSON.createObjectNode().put("type", "struct");
      struct.set("fields", written(union(fields(mine), fields(other))));
      return struct;
    }
    if (!mine.equals(other)) {
      throw DeltaLogErrors.otherType(column, shown(mine), shown(other));
    }
    return mine;
  }

  private static String shown(JsonNode type) {
    return type.isTextual() ? type.asText() : type.path("type").asText();
  }

  /** Delta's readers do not tell apart names that differ in case only, at any depth. */
  private static void requireDistinct(Map<String, JsonNode> columns) throws InvalidRecordException {
    Map<String, String> names = new LinkedHashMap<>();
    for (String name : columns.keySet()) {
      String other = names.put(name.toLowerCase(Locale.ROOT), name);
      if (other != null) {
        throw DeltaLogErrors.sameName(other, name);
      }
    }
  }

  /** Refuses a partition column whose name differs from that of another column in case only. */
  void requireDistinct(List<FollowerState.Column> partitionColumns) throws InvalidRecordException {
    Map<String, JsonNode> all = new LinkedHashMap<>(columns);
    for (FollowerState.Column column : partitionColumns) {
      all.put(column.name(), JSON.getNodeFactory().nullNode());
    }
    requireDistinct(all);
  }

  /** The JSON of the columns of the table: those of the files, then the partition columns. */
  String json(List<FollowerState.Column> partitionColumns) {
    Map<String, JsonNode> all = new LinkedHashMap<>(columns);
    for (FollowerState.Column column : partitionColumns) {
      all.remove(column.name());
      all.put(
          column.name(),
          JSON.getNodeFactory().textNode(new PartitionType(column.type()).columnType()));
    }
    ObjectNode struct = JSON.createObjectNode().put("type", "struct");
    struct.set("fields", written(all));
    return struct.toString();
  }

  /** The names of the types of the columns that are not nested. */
  Map<String, String> plainTypes() {
    Map<String, String> plain = new HashMap<>();
    columns.forEach(
        (name, type) -> {
          if (type.isTextual()) {
            plain.put(name, type.asText());
          }
        });
    return plain;
  }

  /** The JSON of the columns of the files. */
  String json() {
    return json(List.of());
  }
}
