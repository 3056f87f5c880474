package io.repave.hadoop.footer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.ledger.Schema;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The schema of a Parquet file: what Spark wrote into the footer, if it fits the columns of the
 * file, else what the columns themselves say without doubt.
 */
final class SparkSchema {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Most files of a JVM share a few schemas: each is checked once, and is one object. */
  private static final Map<Source, Optional<Schema>> KNOWN = new ConcurrentHashMap<>();

  /**
   * The schemas of wide files, which are read for each file. Files share them while one of these is
   * being written: a task may write thousands, and a schema takes up to 256 KiB.
   */
  private static final Map<Schema, WeakReference<Schema>> WIDE = new WeakHashMap<>();

  private static final int KNOWN_MAX = 16;
  private static final int KNOWN_COLUMNS_MAX = 1_000;

  /** What decides a schema. */
  private record Source(List<ParquetColumn> columns, Optional<String> rowType) {}

  private SparkSchema() {}

  /** The schema of a file with these elements and what Spark says of them; or unknown. */
  static Optional<Schema> of(List<ParquetColumn> columns, Optional<String> rowType) {
    Source source = new Source(columns, rowType.filter(it -> it.length() <= Schema.BYTES_MAX));
    if (columns.size() > KNOWN_COLUMNS_MAX) {
      return read(source).map(SparkSchema::shared);
    }
    Optional<Schema> known = KNOWN.get(source);
    if (known == null) {
      known = read(source);
      if (KNOWN.size() >= KNOWN_MAX) {
        KNOWN.clear();
      }
      KNOWN.put(source, known);
    }
    return known;
  }

  private static Schema shared(Schema read) {
    synchronized (WIDE) {
      WeakReference<Schema> known = WIDE.get(read);
      Schema earlier = known == null ? null : known.get();
      if (earlier != null) {
        return earlier;
      }
      WIDE.put(read, new WeakReference<>(read));
      return read;
    }
  }

  private static Optional<Schema> read(Source source) {
    ParquetTree tree = new ParquetTree(source.columns());
    Optional<List<String>> names = tree.names();
    if (names.isEmpty()) {
      return Optional.empty();
    }
    Optional<Schema> said = source.rowType().flatMap(Schema::of);
    if (said.isPresent() && names.equals(names(said.get()))) {
      return said;
    }
    return new ParquetTypes(tree).row().map(JsonNode::toString).flatMap(Schema::of);
  }

  /** The names of the columns, if the text has the form that Spark writes. */
  private static Optional<List<String>> names(Schema schema) {
    try {
      JsonNode json = JSON.readTree(schema.json());
      if (!"struct".equals(json.path("type").asText()) || !json.path("fields").isArray()) {
        return Optional.empty();
      }
      List<String> names = new ArrayList<>();
      for (JsonNode field : json.path("fields")) {
        if (!field.path("name").isTextual() || !field.has("type")) {
          return Optional.empty();
        }
        names.add(field.path("name").textValue());
      }
      return Optional.of(names);
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
