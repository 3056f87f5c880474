package io.repave.hadoop.runtime;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** What the integration of the engine that runs in this JVM implements. */
public final class EngineService {
  private EngineService() {}

  /** The implementation that Java's ServiceLoader finds, or {@code none}. */
  public static <T> T find(Class<T> service, T none) {
    try {
      for (T found : ServiceLoader.load(service, service.getClassLoader())) {
        return found;
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      return none;
    }
    return none;
  }
}
