import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalog;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogWithListener;

/** A catalog whose look-ups of partitions fail for one caller, but not for Spark itself. */
public final class FailingLookups implements AutoCloseable {
  private final ExternalCatalogWithListener catalog;
  private final ExternalCatalog working;

  /** From now on, look-ups in the catalog fail if a class of this name makes them. */
  public FailingLookups(ExternalCatalogWithListener catalog, String caller) throws Exception {
    this.catalog = catalog;
    working = catalog.unwrapped();
    ClassLoader loader = FailingLookups.class.getClassLoader();
    Object failing =
        Proxy.newProxyInstance(
            loader,
            new Class<?>[] {ExternalCatalog.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("listPartitions") && isCalledBy(caller)) {
                throw new IllegalStateException("The metastore does not answer");
              }
              try {
                return method.invoke(working, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    replace((ExternalCatalog) failing);
  }

  private static boolean isCalledBy(String name) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(it -> it.getClassName().equals(name)));
  }

  private void replace(ExternalCatalog delegate) throws ReflectiveOperationException {
    Field field = ExternalCatalogWithListener.class.getDeclaredField("delegate");
    field.setAccessible(true);
    field.set(catalog, delegate);
  }

  @Override
  public void close() throws Exception {
    replace(working);
  }
}
