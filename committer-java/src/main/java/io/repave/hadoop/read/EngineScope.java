package io.repave.hadoop.read;

import io.repave.hadoop.runtime.EngineService;
import java.util.Optional;

/** The scope of the engine that runs in this JVM. */
public final class EngineScope {
  public static final ReadScope FOUND = EngineService.find(ReadScope.class, Optional::empty);

  private EngineScope() {}
}
