package io.repave.core.ledger;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The distinct schemas of some files. Files share a few schemas, so a record states each of them
 * once, and a file states its place in the list. The list is bounded; a schema that has no room in
 * it is unknown.
 */
public final class SchemaList {
  /** The most schemas in one list. */
  public static final int COUNT_MAX = 256;

  /** The most bytes of UTF-8 of all schemas in one list. */
  public static final int BYTES_MAX = 2 << 20;

  private final List<Optional<Schema>> schemas = new ArrayList<>();
  private final Map<Schema, Integer> places = new HashMap<>();
  private long bytes;

  /** The place of a schema, which is added if it is new; -1 if it is unknown or has no room. */
  public int place(Optional<Schema> schema) {
    if (schema.isEmpty()) {
      return -1;
    }
    Integer known = places.get(schema.get());
    if (known != null) {
      return known;
    }
    return add(schema) ? schemas.size() - 1 : -1;
  }

  /** Adds a schema at the next place, also one that is in the list; false if it has no room. */
  public boolean add(Optional<Schema> schema) {
    int more = schema.orElseThrow().bytes();
    if (schemas.size() == COUNT_MAX || bytes + more > BYTES_MAX) {
      return false;
    }
    bytes += more;
    places.putIfAbsent(schema.get(), schemas.size());
    schemas.add(schema);
    return true;
  }

  /** The schema at a place of the list. */
  public Optional<Schema> at(int place) {
    return schemas.get(place);
  }

  public int size() {
    return schemas.size();
  }

  /** The same schema, as the instance that equal ones share; itself if there is no room. */
  public Optional<Schema> shared(Optional<Schema> schema) {
    int place = place(schema);
    return place < 0 ? schema : at(place);
  }

  /** The same facts, with the shared instance of their schema. */
  public FileFacts shared(FileFacts facts) {
    return facts.withSchema(shared(facts.schema()));
  }
}
