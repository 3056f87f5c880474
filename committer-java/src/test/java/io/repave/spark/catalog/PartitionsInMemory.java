package io.repave.spark.catalog;

import io.repave.spark.bridge.ProductCopy;
import io.repave.spark.bridge.ScalaMaps;
import io.repave.spark.bridge.ScalaMembers;
import io.repave.testing.Unchecked;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import scala.collection.immutable.List$;

/** The partitions of one table by the column {@code day}, behind the interface of Spark. */
final class PartitionsInMemory {
  private final Map<String, CatalogTablePartition> partitions = new TreeMap<>();
  private final List<String> calls = new ArrayList<>();
  private Unchecked.Action afterList = () -> {};
  private boolean refuses;

  ExternalCatalogCalls catalog() {
    Class<?>[] types = {ExternalCatalog.class};
    Object proxy =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            types,
            (self, method, arguments) -> answer(method.getName(), arguments));
    return new ExternalCatalogCalls((ExternalCatalog) proxy);
  }

  /** Runs an action between a process's list and its first change. */
  void afterNextList(Unchecked.Action action) {
    afterList = action;
  }

  void refuseNewPartitions() {
    refuses = true;
  }

  List<String> calls() {
    return List.copyOf(calls);
  }

  /** The last part of each location, by the value. */
  Map<String, String> locations() {
    Map<String, String> all = new TreeMap<>();
    partitions.forEach(
        (day, each) -> {
          String place = each.storage().locationUri().get().toString();
          all.put(day, place.substring(place.lastIndexOf('/') + 1));
        });
    return all;
  }

  /** Sets a parameter of all partitions, as another engine does. */
  void parameter(String key, String value) {
    partitions.replaceAll(
        (day, each) ->
            (CatalogTablePartition)
                ProductCopy.created(
                    CatalogTablePartition.class,
                    each.spec(),
                    each.storage(),
                    ScalaMaps.updated(each.parameters(), key, value)));
  }

  List<String> parameters(String day) {
    List<String> keys = new ArrayList<>();
    partitions.get(day).parameters().foreach(pair -> keys.add(pair._1()));
    return keys;
  }

  @SuppressWarnings("unchecked")
  private Object answer(String method, Object[] arguments) {
    calls.add(method);
    switch (method) {
      case "listPartitions" -> {
        return listed();
      }
      case "createPartitions" -> create(ScalaMembers.list(arguments[2]), (boolean) arguments[3]);
      case "alterPartitions" -> ScalaMembers.list(arguments[2]).forEach(this::put);
      case "dropPartitions" ->
          ScalaMembers.list(arguments[2])
              .forEach(
                  it ->
                      partitions.remove(
                          ((scala.collection.immutable.Map<Object, Object>) it).apply("day")));
      default -> throw new AssertionError("nobody calls " + method);
    }
    return null;
  }

  private Object listed() {
    scala.collection.immutable.List<Object> listed = List$.MODULE$.empty();
    for (CatalogTablePartition each : partitions.values()) {
      listed = listed.$colon$colon(each);
    }
    Unchecked.Action action = afterList;
    afterList = () -> {};
    Unchecked.run(action);
    return listed;
  }

  private void create(List<?> added, boolean ignoreIfExists) {
    if (refuses) {
      throw new IllegalStateException("no permission");
    }
    boolean known = added.stream().anyMatch(it -> partitions.containsKey(day(it)));
    if (known && !ignoreIfExists) {
      throw new IllegalStateException("the partition exists");
    }
    added.stream().filter(it -> !partitions.containsKey(day(it))).forEach(this::put);
  }

  private void put(Object partition) {
    partitions.put(day(partition), (CatalogTablePartition) partition);
  }

  private static String day(Object partition) {
    return ((CatalogTablePartition) partition).spec().apply("day");
  }
}
