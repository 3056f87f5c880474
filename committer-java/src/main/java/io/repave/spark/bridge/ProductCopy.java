package io.repave.spark.bridge;

import java.lang.reflect.Constructor;
import scala.Product;

/** Copies a case class of Spark with one changed field. Their constructors differ by version. */
public final class ProductCopy {
  private ProductCopy() {}

  /** The same with another value in its first field that has this type. */
  @SuppressWarnings("unchecked")
  public static <T extends Product> T with(T from, Class<?> type, Object value) {
    Object[] fields = new Object[from.productArity()];
    boolean replaced = false;
    for (int i = 0; i < fields.length; i++) {
      fields[i] = from.productElement(i);
      if (!replaced && type.isInstance(fields[i])) {
        fields[i] = value;
        replaced = true;
      }
    }
    if (!replaced) {
      throw new IllegalStateException(from.getClass() + " has no field of " + type);
    }
    return (T) created(from.getClass(), fields);
  }

  /** An instance with these first fields, and the defaults of the others. */
  public static Object created(Class<?> type, Object... first) {
    try {
      Constructor<?> all = type.getConstructors()[0];
      for (Constructor<?> each : type.getConstructors()) {
        all = each.getParameterCount() > all.getParameterCount() ? each : all;
      }
      Object[] fields = new Object[all.getParameterCount()];
      for (int i = 0; i < fields.length; i++) {
        // Scala compiles the default of a parameter to a static method.
        String rest = "$lessinit$greater$default$" + (i + 1);
        fields[i] = i < first.length ? first[i] : type.getMethod(rest).invoke(null);
      }
      return all.newInstance(fields);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark has another " + type.getSimpleName(), e);
    }
  }
}
