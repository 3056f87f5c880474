package io.repave.sim;

import io.repave.core.store.StoreException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Carries values between this version of the engine and another one, whose classes have a loader of
 * their own. A record becomes the record of the same name with the members that both have. An
 * object behind an interface is called through the interface of the same name.
 */
final class VersionBridge {
  /** What an interface or a member is called in version 0.1, and is called now. */
  private static final Map<String, String> RENAMED =
      Map.of("Fan", "ParallelRunner", "fan", "runner");

  private final Map<Method, Map<Class<?>, Method>> methods = new ConcurrentHashMap<>();

  /** The value as one of the wanted type. */
  Object carry(Object value, Type wanted) {
    Class<?> type = raw(wanted);
    if (value == null || type == null || type.isPrimitive()) {
      return value;
    }
    if (value instanceof Optional<?> optional) {
      return type == Optional.class
          ? optional.map(it -> carry(it, argument(wanted)))
          : optional.map(it -> carry(it, wanted)).orElseGet(() -> firstConstant(type));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(it -> carry(it, argument(wanted))).toList();
    }
    if (type == Optional.class) {
      return Optional.of(carry(value, argument(wanted)));
    }
    if (type.isInstance(value)) {
      return value;
    }
    return carryOwn(value, type);
  }

  /** A value of a class that both versions have. */
  private Object carryOwn(Object value, Class<?> type) {
    try {
      if (value instanceof Enum<?> constant) {
        return type.getMethod("valueOf", String.class).invoke(null, constant.name());
      }
      if (type.getSimpleName().equals("FileFacts")) {
        return type.getField("NONE").get(null);
      }
      if (type.isRecord()) {
        return record(value, type);
      }
      if (type.isInterface()) {
        return through(value, type);
      }
      if (type.getSimpleName().equals("SharedHead")) {
        Constructor<?> made = type.getConstructors()[0];
        return made.newInstance(made.getParameterTypes()[0].getField("NONE").get(null));
      }
      Object pieces = call(value, value.getClass().getMethod("pieces"));
      return type.getMethod("of", List.class).invoke(null, pieces);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(value + " as a " + type, e);
    }
  }

  /** A record with the members of another one; a member that it lacks is empty. */
  private Object record(Object value, Class<?> type) throws ReflectiveOperationException {
    RecordComponent[] members = type.getRecordComponents();
    List<Class<?>> types = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (RecordComponent member : members) {
      types.add(member.getType());
      Optional<Method> same =
          Stream.of(value.getClass().getRecordComponents())
              .filter(it -> name(it.getName()).equals(name(member.getName())))
              .map(RecordComponent::getAccessor)
              .findFirst();
      values.add(
          same.isPresent()
              ? carry(call(value, same.get()), member.getGenericType())
              : absent(member.getType()));
    }
    return type.getDeclaredConstructor(types.toArray(Class[]::new)).newInstance(values.toArray());
  }

  private static Object call(Object on, Method accessor) throws ReflectiveOperationException {
    accessor.setAccessible(true);
    return accessor.invoke(on);
  }

  private static Object absent(Class<?> type) throws ReflectiveOperationException {
    if (type == String.class) {
      return "";
    }
    if (type == long.class) {
      return 0L;
    }
    if (type == int.class) {
      return 0;
    }
    if (type == boolean.class) {
      return false;
    }
    if (type == List.class) {
      return List.of();
    }
    if (type == OptionalLong.class) {
      return OptionalLong.empty();
    }
    return type == Optional.class ? Optional.empty() : type.getField("NONE").get(null);
  }

  private static Object firstConstant(Class<?> type) {
    return type.isEnum() ? type.getEnumConstants()[0] : null;
  }

  private Object through(Object value, Class<?> type) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object[] given = arguments == null ? new Object[0] : arguments;
          if (method.getDeclaringClass() == Object.class) {
            return method.invoke(value, given);
          }
          Method same =
              methods
                  .computeIfAbsent(method, it -> new ConcurrentHashMap<>())
                  .computeIfAbsent(value.getClass(), it -> same(it, method));
          if (same == method) {
            return InvocationHandler.invokeDefault(proxy, method, given);
          }
          Type[] types = same.getGenericParameterTypes();
          Object[] carried = new Object[given.length];
          for (int i = 0; i < given.length; i++) {
            carried[i] = carry(given[i], types[i]);
          }
          try {
            return carry(same.invoke(value, carried), method.getGenericReturnType());
          } catch (InvocationTargetException e) {
            throw failure(e.getCause(), type.getClassLoader());
          }
        };
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  /** The method of an object that has this name and types; the method itself if there is none. */
  private static Method same(Class<?> of, Method wanted) {
    for (Class<?> its : interfaces(of, new HashSet<>())) {
      for (Method method : its.getMethods()) {
        if (method.getName().equals(wanted.getName()) && types(method).equals(types(wanted))) {
          method.setAccessible(true);
          return method;
        }
      }
    }
    if (!wanted.isDefault()) {
      throw new IllegalStateException(of + " has no " + wanted);
    }
    return wanted;
  }

  private static Set<Class<?>> interfaces(Class<?> of, Set<Class<?>> found) {
    for (Class<?> its : of.getInterfaces()) {
      found.add(its);
      interfaces(its, found);
    }
    return of.getSuperclass() == null ? found : interfaces(of.getSuperclass(), found);
  }

  private static List<String> types(Method method) {
    return Stream.of(method.getParameterTypes()).map(it -> name(it.getSimpleName())).toList();
  }

  private static String name(String word) {
    return RENAMED.getOrDefault(word, word);
  }

  /** A failure of a store becomes one of the other version; any other is passed on as it is. */
  private Throwable failure(Throwable failure, ClassLoader to) throws ReflectiveOperationException {
    if (!failure.getClass().getSimpleName().equals("StoreException")) {
      return failure;
    }
    Class<?> type = to.loadClass(StoreException.class.getName());
    if (type.isInstance(failure)) {
      return failure;
    }
    Class<?> kinds = to.loadClass(StoreException.Kind.class.getName());
    Object kind = carry(call(failure, failure.getClass().getMethod("kind")), kinds);
    return (IOException)
        type.getConstructor(kinds, String.class, Throwable.class)
            .newInstance(kind, failure.getMessage(), failure);
  }

  private static Class<?> raw(Type type) {
    if (type instanceof ParameterizedType it) {
      return (Class<?>) it.getRawType();
    }
    return type instanceof Class<?> it ? it : null;
  }

  private static Type argument(Type type) {
    return type instanceof ParameterizedType it ? it.getActualTypeArguments()[0] : null;
  }
}
