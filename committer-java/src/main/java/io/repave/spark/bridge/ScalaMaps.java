package io.repave.spark.bridge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.Map;

/**
 * Changes of Scala's immutable maps. The methods return another type on Scala 2.12 than on 2.13, so
 * they are found by their names.
 */
public final class ScalaMaps {
  private ScalaMaps() {}

  /** The same map with one more key, or another value of it. */
  public static Object updated(Map<String, String> map, String key, String value) {
    return MethodsByName.call(Map.class, map, "updated", key, value);
  }

  /** The same map without some keys. */
  public static Object without(Map<String, String> map, Predicate<String> keys) {
    List<String> gone = new ArrayList<>();
    for (Iterator<Tuple2<String, String>> each = map.iterator(); each.hasNext(); ) {
      String key = each.next()._1();
      if (keys.test(key)) {
        gone.add(key);
      }
    }
    Object rest = map;
    for (String key : gone) {
      rest = MethodsByName.call(Map.class, rest, "$minus", key);
    }
    return rest;
  }
}
