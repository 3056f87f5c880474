package io.repave.spark.bridge;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.Predicate;

/** Calls of methods whose signatures differ between versions of Spark or Scala. */
public final class MethodsByName {
  private MethodsByName() {}

  /** Calls the method of a public type that has this name and takes so many arguments. */
  public static Object call(Class<?> type, Object target, String name, Object... arguments) {
    return call(method -> true, type, target, name, arguments);
  }

  /** Calls the one of several such methods that passes a test. */
  public static Object call(
      Predicate<Method> test, Class<?> type, Object target, String name, Object... arguments) {
    for (Method method : type.getMethods()) {
      if (method.getName().equals(name)
          && method.getParameterCount() == arguments.length
          && test.test(method)) {
        try {
          return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
          throw SneakyThrow.as(e.getCause());
        } catch (IllegalAccessException e) {
          throw missing(type, name, e);
        }
      }
    }
    throw missing(type, name, null);
  }

  private static IllegalStateException missing(Class<?> type, String name, Exception cause) {
    return new IllegalStateException(type.getName() + " has no method " + name, cause);
  }
}
