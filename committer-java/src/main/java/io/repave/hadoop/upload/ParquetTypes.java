package io.repave.hadoop.upload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.repave.hadoop.upload.ParquetColumn.Annotation;
import io.repave.hadoop.upload.ParquetTree.Node;
import java.util.List;
import java.util.Optional;

/**
 * Spark's types for the columns of a Parquet file, as Spark reads them by default. If a column has
 * none, or a form whose meaning depends on names or on the writer, the whole row has none.
 */
final class ParquetTypes {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final ParquetTree tree;

  ParquetTypes(ParquetTree tree) {
    this.tree = tree;
  }

  /** The type of the file's rows. */
  Optional<JsonNode> row() {
    return tree.root().flatMap(it -> struct(it.children()));
  }

  private static Optional<JsonNode> struct(List<Node> children) {
    ObjectNode struct = JSON.objectNode().put("type", "struct");
    ArrayNode fields = struct.putArray("fields");
    for (Node child : children) {
      Optional<JsonNode> type = type(child);
      if (type.isEmpty()) {
        return Optional.empty();
      }
      ObjectNode field = fields.addObject().put("name", child.column().name());
      field.set("type", type.get());
      field.put("nullable", !child.column().isRequired()).putObject("metadata");
    }
    return Optional.of(struct);
  }

  private static Optional<JsonNode> type(Node node) {
    ParquetColumn column = node.column();
    if (column.isRepeated()) {
      return Optional.empty();
    }
    if (!column.isGroup()) {
      return primitive(column).map(TextNode::valueOf);
    }
    return switch (column.annotation()) {
      case NONE -> struct(node.children());
      case LIST -> array(node.children());
      case MAP -> map(node.children());
      default -> Optional.empty();
    };
  }

  /** Only the form with three levels: what the others mean depends on names. */
  private static Optional<JsonNode> array(List<Node> children) {
    if (children.size() != 1 || !isRepeatedGroup(children.get(0), 1)) {
      return Optional.empty();
    }
    String name = children.get(0).column().name();
    if (!List.of("list", "bag").contains(name)) {
      return Optional.empty();
    }
    Node element = children.get(0).children().get(0);
    return type(element)
        .map(
            it ->
                JSON.objectNode()
                    .put("type", "array")
                    .<ObjectNode>set("elementType", it)
                    .put("containsNull", !element.column().isRequired()));
  }

  private static Optional<JsonNode> map(List<Node> children) {
    if (children.size() != 1 || !isRepeatedGroup(children.get(0), 2)) {
      return Optional.empty();
    }
    Node key = children.get(0).children().get(0);
    Node value = children.get(0).children().get(1);
    Optional<JsonNode> keyType = type(key);
    Optional<JsonNode> valueType = type(value);
    if (keyType.isEmpty() || valueType.isEmpty() || !key.column().isRequired()) {
      return Optional.empty();
    }
    ObjectNode map = JSON.objectNode().put("type", "map");
    map.set("keyType", keyType.get());
    map.set("valueType", valueType.get());
    return Optional.of(map.put("valueContainsNull", !value.column().isRequired()));
  }

  private static boolean isRepeatedGroup(Node node, int children) {
    return node.column().isGroup()
        && node.column().isRepeated()
        && node.children().size() == children;
  }

  private static Optional<String> primitive(ParquetColumn column) {
    Annotation annotation = column.annotation();
    if (annotation == Annotation.DECIMAL) {
      return decimal(column);
    }
    return Optional.ofNullable(
        switch (column.type()) {
          case ParquetColumn.BOOLEAN -> plain(annotation, "boolean");
          case ParquetColumn.FLOAT -> plain(annotation, "float");
          case ParquetColumn.DOUBLE -> plain(annotation, "double");
          case ParquetColumn.INT32 -> int32(annotation);
          case ParquetColumn.INT64 -> int64(column);
          case ParquetColumn.INT96 -> plain(annotation, "timestamp");
          case ParquetColumn.BYTE_ARRAY ->
              annotation == Annotation.TEXT ? "string" : plain(annotation, "binary");
          case ParquetColumn.FIXED -> plain(annotation, "binary");
          default -> null;
        });
  }

  private static String plain(Annotation annotation, String type) {
    return annotation == Annotation.NONE ? type : null;
  }

  private static String int32(Annotation annotation) {
    return switch (annotation) {
      case NONE, INT32, UINT16 -> "integer";
      case INT8 -> "byte";
      case INT16, UINT8 -> "short";
      case UINT32 -> "long";
      case DATE -> "date";
      default -> null;
    };
  }

  private static String int64(ParquetColumn column) {
    return switch (column.annotation()) {
      case NONE, INT64 -> "long";
      case UINT64 -> "decimal(20,0)";
      case MILLIS, MICROS -> column.adjusted() ? "timestamp" : "timestamp_ntz";
      default -> null;
    };
  }

  private static Optional<String> decimal(ParquetColumn column) {
    int most =
        switch (column.type()) {
          case ParquetColumn.INT32 -> 9;
          case ParquetColumn.INT64 -> 18;
          case ParquetColumn.BYTE_ARRAY, ParquetColumn.FIXED -> 38;
          default -> 0;
        };
    int precision = column.precision();
    int scale = column.scale();
    if (precision < 1 || precision > most || scale < 0 || scale > precision) {
      return Optional.empty();
    }
    return Optional.of("decimal(" + precision + "," + scale + ")");
  }
}
