package io.repave.hadoop.upload;

import io.repave.core.store.ObjectStore;
import java.util.concurrent.Executor;

/** What all files of an attempt go through. Pool and memory are the JVM's, shared by its tasks. */
public record Transfers(
    ObjectStore store, Executor pool, UploadMemory memory, Retry retry, PartLimits limits) {
  public Transfers {
    memory.reserve(limits.partBytes());
  }
}
