package io.repave.hadoop.runtime;

/** The ends of the tasks of the engine that runs in this JVM. */
public final class EngineTaskEnd {
  public static final TaskEnd FOUND = EngineService.find(TaskEnd.class, work -> {});

  private EngineTaskEnd() {}
}
