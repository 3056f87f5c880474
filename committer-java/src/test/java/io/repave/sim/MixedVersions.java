package io.repave.sim;

import io.repave.core.engine.EngineSettings;
import io.repave.core.record.FollowerKind;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/** Several versions of the engine on one table: the seed of a process says which one it runs. */
record MixedVersions(List<Protocol> versions) implements Protocol {
  private Protocol of(World.Process process) {
    return versions.get((int) ((process.seed() >>> 20) % versions.size()));
  }

  @Override
  public boolean isEngine() {
    return true;
  }

  @Override
  public boolean includesVersion01() {
    return versions.stream().anyMatch(Protocol::includesVersion01);
  }

  /** Version 0.1 refuses a head with followers. */
  @Override
  public List<FollowerKind> followers(SplittableRandom random) {
    return List.of();
  }

  @Override
  public List<FollowerKind> switched(SplittableRandom random) {
    return List.of();
  }

  @Override
  public Job begin(World.Process process, EngineSettings settings, JobSpec spec)
      throws IOException, InterruptedException {
    return of(process).begin(process, settings, spec);
  }

  @Override
  public void recover(World.Process process) throws IOException, InterruptedException {
    of(process).recover(process);
  }

  @Override
  public void vacuum(World.Process process, EngineSettings settings, long retention)
      throws IOException, InterruptedException {
    of(process).vacuum(process, settings, retention);
  }

  @Override
  public void adopt(World.Process process) throws IOException, InterruptedException {
    of(process).adopt(process);
  }

  @Override
  public void rollback(World.Process process, long version)
      throws IOException, InterruptedException {
    of(process).rollback(process, version);
  }
}
