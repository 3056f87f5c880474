package io.repave.core.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.FileFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the members of a record's JSON, checks their types and bounds, or refuses the record. */
record Fields(JsonNode node, String where) {
  String text(String name) throws InvalidRecordException {
    JsonNode value = node.get(name);
    if (value == null || !value.isTextual()) {
      throw wrong(name);
    }
    return value.textValue();
  }

  /** A member that older versions did not write; "" when it is absent. */
  String optionalText(String name) throws InvalidRecordException {
    return has(name) ? text(name) : "";
  }

  /** A member that older versions did not write; 0 when it is absent. */
  long optionalNumber(String name) throws InvalidRecordException {
    return has(name) ? number(name) : 0;
  }

  long number(String name) throws InvalidRecordException {
    JsonNode value = node.get(name);
    if (value == null || !value.isIntegralNumber() || !value.canConvertToLong()) {
      throw wrong(name);
    }
    long number = value.longValue();
    if (number < 0 || number > FileFacts.NUMBER_MAX) {
      throw wrong(name);
    }
    return number;
  }

  boolean has(String name) {
    return node.has(name);
  }

  /** Empty when the text is absent. */
  Optional<String> knownText(String name) throws InvalidRecordException {
    return has(name) ? Optional.of(text(name)) : Optional.empty();
  }

  /** Empty when the number is absent. */
  OptionalLong knownNumber(String name) throws InvalidRecordException {
    return has(name) ? OptionalLong.of(number(name)) : OptionalLong.empty();
  }

  /** A flag that older versions did not write; false when it is absent. */
  boolean optionalFlag(String name) throws InvalidRecordException {
    JsonNode value = node.get(name);
    if (value == null) {
      return false;
    }
    if (!value.isBoolean()) {
      throw wrong(name);
    }
    return value.booleanValue();
  }

  <E extends Enum<E>> E one(String name, Class<E> type) throws InvalidRecordException {
    String text = text(name);
    for (E constant : type.getEnumConstants()) {
      if (Labels.of(constant).equals(text)) {
        return constant;
      }
    }
    throw wrong(name);
  }

  Fields object(String name) throws InvalidRecordException {
    JsonNode value = node.get(name);
    if (value == null || !value.isObject()) {
      throw wrong(name);
    }
    return new Fields(value, where);
  }

  /** The objects of an array that may be absent; then there are none. */
  List<Fields> optionalObjects(String name) throws InvalidRecordException {
    return has(name) ? objects(name) : List.of();
  }

  List<Fields> objects(String name) throws InvalidRecordException {
    List<Fields> objects = new ArrayList<>();
    for (JsonNode item : array(name)) {
      if (!item.isObject()) {
        throw wrong(name);
      }
      objects.add(new Fields(item, where));
    }
    return objects;
  }

  /** The texts of an array that may be absent; then there are none. */
  List<String> optionalTexts(String name) throws InvalidRecordException {
    return has(name) ? texts(name) : List.of();
  }

  List<String> texts(String name) throws InvalidRecordException {
    List<String> texts = new ArrayList<>();
    for (JsonNode item : array(name)) {
      if (!item.isTextual()) {
        throw wrong(name);
      }
      texts.add(item.textValue());
    }
    return texts;
  }

  private Iterable<JsonNode> array(String name) throws InvalidRecordException {
    JsonNode array = node.get(name);
    if (array == null || !array.isArray()) {
      throw wrong(name);
    }
    return array;
  }

  InvalidRecordException wrong(String name) {
    return FormatErrors.badMember(where, name);
  }
}
