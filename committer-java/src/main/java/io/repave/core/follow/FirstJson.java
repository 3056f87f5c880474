package io.repave.core.follow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;

/** The first JSON value of a file that any program may have written, such as a line of a log. */
final class FirstJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Values of Repave are much shorter. The tree of a value takes far more memory than its text. */
  private static final int BYTES_MAX = 1 << 20;

  private FirstJson() {}

  /** A missing node if the file does not begin with a JSON value of at most this length. */
  static JsonNode of(byte[] content) {
    try {
      return JSON.readTree(content, 0, Math.min(content.length, BYTES_MAX));
    } catch (IOException notJson) {
      return MissingNode.getInstance();
    }
  }
}
