package io.repave.hadoop.read;

import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The scope of the engine that runs in this JVM. */
public final class EngineScope {
  public static final ReadScope FOUND = load();

  private EngineScope() {}

  private static ReadScope load() {
    try {
      for (ReadScope found :
          ServiceLoader.load(ReadScope.class, ReadScope.class.getClassLoader())) {
        return found;
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      return Optional::empty;
    }
    return Optional::empty;
  }
}
