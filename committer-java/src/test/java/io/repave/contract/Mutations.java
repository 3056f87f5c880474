package io.repave.contract;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Changes of one member of a record: it is missing, of another type, or out of its bounds. pytest
 * makes the same ones.
 */
final class Mutations {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Mutations() {}

  /** A changed record. */
  record Mutant(String change, ObjectNode json) {}

  static List<Mutant> of(ObjectNode record) {
    List<Mutant> mutants = new ArrayList<>();
    change(record, record, JsonPointer.empty(), mutants);
    return mutants;
  }

  private static void change(
      ObjectNode record, JsonNode value, JsonPointer at, List<Mutant> mutants) {
    if (value.isArray() && !value.isEmpty()) {
      change(record, value.get(0), at.appendIndex(0), mutants);
    }
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      String name = member.getKey();
      String shown = at + "/" + name;
      ObjectNode without = record.deepCopy();
      ((ObjectNode) without.at(at)).remove(name);
      mutants.add(new Mutant(shown + " is missing", without));
      for (JsonNode other : others(member.getValue())) {
        ObjectNode changed = record.deepCopy();
        ((ObjectNode) changed.at(at)).set(name, other);
        mutants.add(new Mutant(shown + " is " + other, changed));
      }
      change(record, member.getValue(), at.appendProperty(name), mutants);
    }
  }

  private static List<JsonNode> others(JsonNode value) {
    List<JsonNode> others = new ArrayList<>(List.of(JSON.nullNode(), JSON.objectNode()));
    if (value.isNumber()) {
      others.add(JSON.numberNode(-1));
      others.add(JSON.numberNode((1L << 53) + 1));
      others.add(JSON.numberNode(1.5));
      others.add(JSON.textNode(value.asText()));
    } else if (value.isTextual()) {
      others.add(JSON.numberNode(1));
      others.add(JSON.textNode("a/../b"));
      others.add(JSON.textNode("_repave"));
    } else if (value.isArray()) {
      others.add(JSON.arrayNode().add(true));
    } else {
      others.add(JSON.textNode("true"));
    }
    return others;
  }
}
