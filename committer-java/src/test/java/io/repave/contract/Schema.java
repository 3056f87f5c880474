package io.repave.contract;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A JSON Schema of the contract. Knows the keywords that the contract uses and refuses any other;
 * pytest checks the same files with a complete validator.
 */
final class Schema {
  private static final Set<String> NOTES = Set.of("$schema", "title", "description", "$defs");

  private final Path folder;
  private final String name;
  private final JsonNode root;
  private final Set<String> seen = new TreeSet<>();

  private Schema(Path folder, String name) throws IOException {
    this.folder = folder;
    this.name = name;
    this.root = Contract.read(folder.resolve(name + ".json"));
  }

  /** The schema of a record, by its type. */
  static Schema ofRecord(String type) throws IOException {
    return new Schema(Contract.ROOT.resolve("records"), type);
  }

  static Schema ofDocument(String name) throws IOException {
    return new Schema(Contract.ROOT.resolve("documents"), name);
  }

  /** What is wrong with a value; empty when it fits. */
  List<String> faults(JsonNode value) throws IOException {
    List<String> faults = new ArrayList<>();
    check(root, value, name, faults);
    return faults;
  }

  /**
   * The members that values so far had, such as {@code active[].state}; those of a common
   * definition under its own name.
   */
  Set<String> seen() {
    return seen;
  }

  /** All members that a value may have. */
  Set<String> members() throws IOException {
    Set<String> members = new TreeSet<>();
    collect(root, name, members);
    return members;
  }

  private void collect(JsonNode schema, String at, Set<String> members) throws IOException {
    if (schema.has("$ref")) {
      String ref = schema.get("$ref").asText();
      collect(target(ref), ref, members);
    }
    for (Map.Entry<String, JsonNode> member : schema.path("properties").properties()) {
      String name = at + "." + member.getKey();
      members.add(name);
      collect(member.getValue(), name, members);
    }
    if (schema.has("items")) {
      collect(schema.get("items"), at + "[]", members);
    }
  }

  private JsonNode target(String ref) throws IOException {
    String[] parts = ref.split("#");
    JsonNode target = Contract.read(folder.resolve(parts[0])).at(parts[1]);
    if (target.isMissingNode()) {
      throw new AssertionError("nothing is at " + ref);
    }
    return target;
  }

  private void check(JsonNode schema, JsonNode value, String at, List<String> faults)
      throws IOException {
    for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
      JsonNode rule = keyword.getValue();
      switch (keyword.getKey()) {
        case "$ref" -> check(target(rule.asText()), value, rule.asText(), faults);
        case "properties" -> checkMembers(rule, value, at, faults);
        case "additionalProperties" -> checkOthers(schema, value, at, faults);
        case "items" -> {
          for (JsonNode item : value) {
            check(rule, item, at + "[]", faults);
          }
        }
        default -> {
          if (!NOTES.contains(keyword.getKey()) && !fits(keyword.getKey(), rule, value)) {
            faults.add(at + " " + keyword.getKey());
          }
        }
      }
    }
  }

  private void checkMembers(JsonNode members, JsonNode value, String at, List<String> faults)
      throws IOException {
    for (Map.Entry<String, JsonNode> member : members.properties()) {
      JsonNode there = value.get(member.getKey());
      if (there != null) {
        seen.add(at + "." + member.getKey());
        check(member.getValue(), there, at + "." + member.getKey(), faults);
      }
    }
  }

  private void checkOthers(JsonNode schema, JsonNode value, String at, List<String> faults)
      throws IOException {
    JsonNode rule = schema.get("additionalProperties");
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      if (schema.path("properties").has(member.getKey())) {
        continue;
      }
      if (rule.isObject()) {
        check(rule, member.getValue(), at + ".*", faults);
      } else if (!rule.booleanValue()) {
        faults.add(at + "." + member.getKey() + " is not in the schema");
      }
    }
  }

  private static boolean fits(String keyword, JsonNode rule, JsonNode value) {
    return switch (keyword) {
      case "type" -> rule.isTextual() ? isOf(rule.asText(), value) : isOfOne(rule, value);
      case "const" -> rule.equals(value);
      case "enum" -> isIn(rule, value);
      case "pattern" ->
          !value.isTextual() || Pattern.compile(rule.asText()).matcher(value.textValue()).find();
      case "minimum" ->
          !value.isNumber() || value.decimalValue().compareTo(rule.decimalValue()) >= 0;
      case "maximum" ->
          !value.isNumber() || value.decimalValue().compareTo(rule.decimalValue()) <= 0;
      case "maxItems" -> !value.isArray() || value.size() <= rule.intValue();
      case "minProperties" -> !value.isObject() || value.size() >= rule.intValue();
      case "required" -> !value.isObject() || holds(value, rule);
      case "dependentRequired" ->
          rule.properties().stream()
              .allMatch(it -> !value.has(it.getKey()) || holds(value, it.getValue()));
      default -> throw new AssertionError("the keyword " + keyword + " is not known here");
    };
  }

  private static boolean isOfOne(JsonNode types, JsonNode value) {
    for (JsonNode type : types) {
      if (isOf(type.asText(), value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOf(String type, JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "boolean" -> value.isBoolean();
      case "null" -> value.isNull();
      default -> throw new AssertionError("the type " + type + " is not known here");
    };
  }

  private static boolean isIn(JsonNode choices, JsonNode value) {
    for (JsonNode choice : choices) {
      if (choice.equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean holds(JsonNode value, JsonNode names) {
    for (JsonNode name : names) {
      if (!value.has(name.asText())) {
        return false;
      }
    }
    return true;
  }
}
