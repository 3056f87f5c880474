package io.repave.core.record;

import io.repave.core.ledger.Schema;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The short form of a schema in a record: its columns in Spark's DDL, such as {@code id long,amount
 * decimal(10,2) not null}. Only a schema of plain names and types has one, and it says the same,
 * character by character, as the JSON text. In a ledger of one file it takes half of the bytes that
 * the JSON takes.
 */
final class SchemaDdl {
  private static final String NAME = "([A-Za-z0-9_]+)";
  private static final String TYPE = "([a-z_]+(?:\\([0-9]+(?:,[0-9]+)?\\))?)";
  private static final Pattern IN_DDL = Pattern.compile(NAME + " " + TYPE + "( not null)?(,|\\z)");
  private static final Pattern IN_JSON =
      Pattern.compile(
          "\\{\"name\":\"%s\",\"type\":\"%s\",\"nullable\":(true|false),\"metadata\":\\{}}(,|]}\\z)"
              .formatted(NAME, TYPE));
  private static final String JSON_START = "{\"type\":\"struct\",\"fields\":[";
  private static final String JSON_END = "]}";

  private SchemaDdl() {}

  /** The short form of a schema, if it has one. */
  static Optional<String> of(String json) {
    if (!json.startsWith(JSON_START)) {
      return Optional.empty();
    }
    StringBuilder ddl = new StringBuilder();
    Matcher column = IN_JSON.matcher(json);
    int at = JSON_START.length();
    while (column.region(at, json.length()).lookingAt()) {
      at = column.end();
      String unlessNull = column.group(3).equals("true") ? "" : " not null";
      ddl.append(column.group(1)).append(' ').append(column.group(2)).append(unlessNull);
      if (at == json.length()) {
        return column.group(4).equals(JSON_END) ? Optional.of(ddl.toString()) : Optional.empty();
      }
      ddl.append(',');
    }
    return Optional.empty();
  }

  /** The JSON text of a short form; empty if it is none, or the text is longer than a schema. */
  static Optional<String> json(String ddl) {
    StringBuilder json = new StringBuilder(JSON_START);
    Matcher column = IN_DDL.matcher(ddl);
    int at = 0;
    while (column.region(at, ddl.length()).lookingAt()) {
      at = column.end();
      json.append("{\"name\":\"").append(column.group(1));
      json.append("\",\"type\":\"").append(column.group(2));
      json.append("\",\"nullable\":").append(column.group(3) == null).append(",\"metadata\":{}}");
      json.append(column.group(4));
      // The text is up to 14 times as long as its short form.
      if (json.length() > Schema.BYTES_MAX) {
        return Optional.empty();
      }
      if (at == ddl.length()) {
        return column.group(4).isEmpty() ? Optional.of(json + JSON_END) : Optional.empty();
      }
    }
    return Optional.empty();
  }
}
