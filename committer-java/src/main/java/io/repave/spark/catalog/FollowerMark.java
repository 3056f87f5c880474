package io.repave.spark.catalog;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.Locations;
import io.repave.core.record.Follower;
import io.repave.spark.bridge.ProductCopy;
import io.repave.spark.bridge.ScalaMaps;
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
        table,
        Map.class,
        ScalaMaps.updated(table.properties(), Follower.MARK, wanted.follower().id()));
  }

  private static String of(CatalogTable table) {
    Option<String> mark = table.properties().get(Follower.MARK);
    return mark.isDefined() ? mark.get() : "";
  }
}
