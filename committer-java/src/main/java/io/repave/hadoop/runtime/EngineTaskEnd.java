package io.repave.hadoop.runtime;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The ends of the tasks of the engine that runs in this JVM. */
public final class EngineTaskEnd {
  public static final TaskEnd FOUND = load();

  private EngineTaskEnd() {}

  private static TaskEnd load() {
    try {
      for (TaskEnd found : ServiceLoader.load(TaskEnd.class, TaskEnd.class.getClassLoader())) {
        return found;
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      return work -> {};
    }
    return work -> {};
  }
}
