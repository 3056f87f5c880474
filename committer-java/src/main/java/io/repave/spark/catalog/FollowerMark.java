package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.Locations;
import io.repave.core.record.Follower;
import io.repave.spark.bridge.ProductCopy;
import io.repave.spark.bridge.SneakyThrow;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import scala.Option;
import scala.collection.immutable.Map;

/**
 * The property of a catalog's table that names its follower. Two metastores may have tables of one
 * name at one place, and the head records one of them: only that one may be moved.
 */
final class FollowerMark {
  private FollowerMark() {}

  /** Refuses a table that is not the one that follows. */
  static void require(String name, CatalogTable table, Locations wanted)
      throws InvalidConfigException {
    if (!isOn(table, wanted)) {
      throw CatalogErrors.otherFollower(name, of(table), wanted);
    }
  }

  static boolean isOn(CatalogTable table, Locations wanted) {
    return of(table).equals(wanted.follower().id());
  }

  /** The same table with the mark. */
  static CatalogTable on(CatalogTable table, Locations wanted) {
    // The first map of a table has its properties.
    return ProductCopy.with(
        table, Map.class, updated(table.properties(), Follower.MARK, wanted.follower().id()));
  }

  private static String of(CatalogTable table) {
    Option<String> mark = table.properties().get(Follower.MARK);
    return mark.isDefined() ? mark.get() : "";
  }

  /** The method returns another type on Scala 2.12 than on 2.13, so it is found by its name. */
  private static Object updated(Map<String, String> map, String key, String value) {
    for (Method method : Map.class.getMethods()) {
      if (method.getName().equals("updated") && method.getParameterCount() == 2) {
        try {
          return method.invoke(map, key, value);
        } catch (InvocationTargetException e) {
          throw SneakyThrow.as(e.getCause());
        } catch (IllegalAccessException e) {
          throw new IllegalStateException("Scala's map cannot be updated", e);
        }
      }
    }
    throw new IllegalStateException("Scala's map has no updated");
  }
}
