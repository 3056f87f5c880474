package io.repave.hadoop.upload;

import io.repave.core.store.ObjectStore;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.hadoop.runtime.RequestRetry;
import java.util.concurrent.Executor;

/** What the uploads of an attempt use. All tasks of the JVM share the pool and the memory. */
public record UploadResources(
    ObjectStore store,
    Executor pool,
    UploadMemory memory,
    RequestRetry retry,
    PartLimits limits,
    WantedFacts wanted) {
  public UploadResources {
    memory.reserve(limits.partBytes());
  }
}
