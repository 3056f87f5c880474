package io.repave.core.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Puts a hostile value at a random place of a JSON tree. */
public final class HostileJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Paths that no record may name. */
  public static final List<String> PATHS =
      List.of(
          "../x",
          "dt=1/../../x",
          "_repave/head.json",
          "dt=1/_repave/x",
          "/absolute",
          "a//b",
          "a/",
          ".",
          "dt=1/./x",
          "a\0b",
          "s3://",
          "s3:///x",
          "s3://bucket",
          "s3://bucket/",
          "s3://bucket/../x",
          "s3://bucket/_repave/x",
          "x".repeat(1025),
          "ü".repeat(513));

  private HostileJson() {}

  /** Changes one node, drawn at random. */
  public static ObjectNode change(ObjectNode record, Random random) {
    ObjectNode changed = record.deepCopy();
    List<Runnable> places = new ArrayList<>();
    collect(changed, random, places);
    places.get(random.nextInt(places.size())).run();
    return changed;
  }

  private static void collect(JsonNode node, Random random, List<Runnable> places) {
    if (node instanceof ObjectNode object) {
      for (String name : iterable(object)) {
        places.add(() -> object.set(name, hostile(random)));
        places.add(() -> object.remove(name));
        collect(object.get(name), random, places);
      }
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        int at = i;
        places.add(() -> array.set(at, hostile(random)));
        places.add(() -> array.add(array.get(at).deepCopy()));
        collect(array.get(i), random, places);
      }
    }
  }

  private static List<String> iterable(ObjectNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static JsonNode hostile(Random random) {
    ArrayNode values = JSON.createArrayNode();
    PATHS.forEach(values::add);
    values.add("").add("\ud800").add("x".repeat(9_000)).add(-1).add(1L << 53).add(Long.MAX_VALUE);
    values.add(Long.MIN_VALUE).add(Integer.MAX_VALUE).add(BigInteger.TEN.pow(19)).add(1e300);
    values.add(0.5).add(true).addNull().add(100_000).add("append").add("rollback");
    values.addObject();
    values.addArray();
    values.addArray().addArray().add("x");
    values.addArray().addObject();
    values.add("99999999T999999.999Z-commit-id");
    return values.get(random.nextInt(values.size()));
  }
}
