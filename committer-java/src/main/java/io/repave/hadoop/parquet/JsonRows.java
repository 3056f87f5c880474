package io.repave.hadoop.parquet;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;

/** Writes JSON objects as rows of a schema; arrays are lists and objects may be maps. */
final class JsonRows extends WriteSupport<JsonNode> {
  private final MessageType schema;
  private RecordConsumer out;

  JsonRows(MessageType schema) {
    this.schema = schema;
  }

  @Override
  @SuppressWarnings("deprecation") // the only one that every release has
  public WriteContext init(Configuration conf) {
    return new WriteContext(schema, Map.of());
  }

  @Override
  public void prepareForWrite(RecordConsumer consumer) {
    out = consumer;
  }

  @Override
  public void write(JsonNode row) {
    out.startMessage();
    members(schema, row);
    out.endMessage();
  }

  private void members(GroupType type, JsonNode object) {
    for (int i = 0; i < type.getFieldCount(); i++) {
      Type member = type.getType(i);
      JsonNode value = object.path(member.getName());
      if (!value.isMissingNode() && !value.isNull()) {
        int index = i;
        field(member.getName(), index, () -> value(member, value));
      }
    }
  }

  private void field(String name, int index, Runnable value) {
    out.startField(name, index);
    value.run();
    out.endField(name, index);
  }

  private void value(Type type, JsonNode value) {
    if (type.isPrimitive()) {
      primitive(type.asPrimitiveType(), value);
      return;
    }
    GroupType group = type.asGroupType();
    LogicalTypeAnnotation annotation = group.getLogicalTypeAnnotation();
    out.startGroup();
    if (annotation instanceof LogicalTypeAnnotation.ListLogicalTypeAnnotation) {
      list(group, value);
    } else if (annotation instanceof LogicalTypeAnnotation.MapLogicalTypeAnnotation) {
      map(group, value);
    } else {
      members(group, value);
    }
    out.endGroup();
  }

  /** An empty list has no repeated field. */
  private void list(GroupType list, JsonNode array) {
    GroupType entry = list.getType(0).asGroupType();
    Type element = entry.getType(0);
    if (!array.isEmpty()) {
      field(
          entry.getName(),
          0,
          () -> {
            for (JsonNode value : array) {
              out.startGroup();
              field(element.getName(), 0, () -> value(element, value));
              out.endGroup();
            }
          });
    }
  }

  private void map(GroupType map, JsonNode object) {
    GroupType entry = map.getType(0).asGroupType();
    Type key = entry.getType(0);
    Type value = entry.getType(1);
    if (!object.isEmpty()) {
      field(
          entry.getName(),
          0,
          () -> {
            Iterator<String> names = object.fieldNames();
            while (names.hasNext()) {
              String name = names.next();
              out.startGroup();
              field(key.getName(), 0, () -> out.addBinary(Binary.fromString(name)));
              if (!object.get(name).isNull()) {
                field(value.getName(), 1, () -> value(value, object.get(name)));
              }
              out.endGroup();
            }
          });
    }
  }

  private void primitive(PrimitiveType type, JsonNode value) {
    switch (type.getPrimitiveTypeName()) {
      case INT32 -> out.addInteger(value.intValue());
      case INT64 -> out.addLong(value.longValue());
      case BOOLEAN -> out.addBoolean(value.booleanValue());
      case BINARY -> out.addBinary(Binary.fromString(value.textValue()));
      default -> throw new IllegalArgumentException("The type " + type + " is not written.");
    }
  }
}
