package io.repave.s3;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.repave.core.record.Labels;

/** Prints the list of store checks as JSON, from which {@code repave doctor} reads it. */
public final class StoreChecksJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private StoreChecksJson() {}

  static String print() {
    ArrayNode all = JSON.createArrayNode();
    for (StoreCheck check : StoreCheck.values()) {
      all.addObject()
          .put("id", check.id())
          .put("need", Labels.of(check.need()))
          .put("request", check.request())
          .put("expectation", check.expectation())
          .put("sentence", check.sentence());
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
