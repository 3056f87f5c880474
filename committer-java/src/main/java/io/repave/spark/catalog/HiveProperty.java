package io.repave.spark.catalog;

import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import scala.Option;

/** A property with which Hive itself changes an external table in a way that readers notice. */
enum HiveProperty {
  /** Hive 4 sets it for a table that was created without EXTERNAL. */
  PURGE(
      "external.table.purge",
      "in Hive, DROP TABLE would delete that folder with the files of all versions and Repave's"
          + " records"),

  /** Hive's metastore then repairs the table in the background. */
  DISCOVERY(
      "discover.partitions",
      "Hive adds a partition for each folder that it finds there, so partitions come back whose rows"
          + " are removed");

  private final String key;
  private final String harm;

  HiveProperty(String key, String harm) {
    this.key = key;
    this.harm = harm;
  }

  String key() {
    return key;
  }

  String harm() {
    return harm;
  }

  /** One that is switched on for a table. */
  static Optional<HiveProperty> of(CatalogTable table) {
    return Stream.of(values()).filter(it -> it.isOn(table)).findFirst();
  }

  private boolean isOn(CatalogTable table) {
    Option<String> value = table.properties().get(key);
    return value.isDefined() && value.get().equalsIgnoreCase("true");
  }
}
