package io.repave.hadoop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.record.Labels;

/** Prints all settings as JSON. Python's options and the documentation are generated from it. */
public final class SettingsJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private SettingsJson() {}

  /** All settings as a JSON array, in the order of the documentation. */
  public static String print() {
    ArrayNode all = JSON.createArrayNode();
    for (Setting setting : Setting.values()) {
      ObjectNode each = all.addObject();
      each.put("key", setting.key());
      each.put("kind", Labels.of(setting.kind()));
      if (!setting.choices().isEmpty()) {
        setting.choices().forEach(each.putArray("choices")::add);
      }
      each.put("default", setting.fallback());
      if (!setting.range().least().isEmpty()) {
        each.put("least", setting.range().least());
      }
      if (!setting.range().most().isEmpty()) {
        each.put("most", setting.range().most());
      }
      each.put("text", setting.doc());
    }
    try {
      return JSON.writeValueAsString(all);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] arguments) {
    System.out.println(print());
  }
}
