package io.repave.spark.catalog;

import io.repave.spark.bridge.MethodsByName;
import io.repave.spark.bridge.ProductCopy;
import io.repave.spark.bridge.SessionParts;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTablePartition;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.collection.immutable.List$;

/**
 * The calls of Spark's external catalog. Its sequences have another type on Scala 2.12 than on
 * 2.13, so those calls are found by their names.
 */
public final class ExternalCatalogCalls {
  private final ExternalCatalog catalog;

  ExternalCatalogCalls(ExternalCatalog catalog) {
    this.catalog = catalog;
  }

  public static ExternalCatalogCalls of(SparkSession session) {
    return new ExternalCatalogCalls(SessionParts.shared(session).externalCatalog());
  }

  boolean hasTable(String database, String table) {
    return catalog.databaseExists(database) && catalog.tableExists(database, table);
  }

  CatalogTable table(String database, String table) {
    return catalog.getTable(database, table);
  }

  void alterTable(CatalogTable table) {
    catalog.alterTable(table);
  }

  public List<CatalogTablePartition> partitions(String database, String table) {
    return partitions(database, table, Option.empty());
  }

  /** Those with some values. {@code spec} is a map of Scala. */
  public List<CatalogTablePartition> partitions(String database, String table, Option<?> spec) {
    Seq<?> found = (Seq<?>) call("listPartitions", database, table, spec);
    List<CatalogTablePartition> all = new ArrayList<>();
    for (Iterator<?> each = found.iterator(); each.hasNext(); ) {
      all.add((CatalogTablePartition) each.next());
    }
    return all;
  }

  /** A partition of a new place. {@code spec} is a map of Scala. */
  CatalogTablePartition partition(Object spec, CatalogStorageFormat storage) {
    return (CatalogTablePartition) ProductCopy.created(CatalogTablePartition.class, spec, storage);
  }

  /** Keeps those that are there. */
  void create(String database, String table, List<CatalogTablePartition> added) {
    if (!added.isEmpty()) {
      call("createPartitions", database, table, sequence(added), true);
    }
  }

  /** Fails if one of them is there, with an exception that differs between catalogs. */
  void createNew(String database, String table, List<CatalogTablePartition> added) {
    if (!added.isEmpty()) {
      call("createPartitions", database, table, sequence(added), false);
    }
  }

  /** One call, and so one transaction of the metastore. */
  void alter(String database, String table, List<CatalogTablePartition> altered) {
    if (!altered.isEmpty()) {
      call("alterPartitions", database, table, sequence(altered));
    }
  }

  /** Drops the entries, and keeps the files: older versions need them. */
  void drop(String database, String table, List<CatalogTablePartition> dropped) {
    if (!dropped.isEmpty()) {
      List<Object> specs = new ArrayList<>();
      dropped.forEach(it -> specs.add(it.spec()));
      call("dropPartitions", database, table, sequence(specs), true, false, true);
    }
  }

  private static Object sequence(List<?> all) {
    scala.collection.immutable.List<Object> sequence = List$.MODULE$.empty();
    for (int i = all.size() - 1; i >= 0; i--) {
      sequence = sequence.$colon$colon(all.get(i));
    }
    return sequence;
  }

  private Object call(String name, Object... arguments) {
    return MethodsByName.call(ExternalCatalog.class, catalog, name, arguments);
  }
}
