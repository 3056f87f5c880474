package io.repave.spark.bridge;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Members of Spark's objects whose types differ between versions of Spark or of Scala. */
public final class ScalaMembers {
  private ScalaMembers() {}

  /** The names of the partition columns of a catalog's table. */
  public static List<?> partitionColumns(CatalogTable table) {
    return list(table, "partitionColumnNames");
  }

  /** What a method of Spark returns. */
  public static List<?> list(Object node, String method) {
    return list(member(node, method));
  }

  /** The elements of a {@code Seq}, whose type differs between Scala 2.12 and 2.13. */
  public static List<?> list(Object seq) {
    List<Object> all = new ArrayList<>();
    for (Iterator<?> each = ((Seq<?>) seq).iterator(); each.hasNext(); ) {
      all.add(each.next());
    }
    return all;
  }

  /** What a method of Spark returns that not every version has. */
  public static Object member(Object node, String method) {
    try {
      Method found = node.getClass().getMethod(method);
      // Repave's own indexes are not public.
      found.setAccessible(true);
      return found.invoke(node);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark has no " + method, e);
    }
  }
}
