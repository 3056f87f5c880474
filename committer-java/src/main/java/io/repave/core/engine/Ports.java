package io.repave.core.engine;

import io.repave.core.store.Clock;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.Scratch;
import java.util.function.Supplier;

/**
 * Everything outside the protocol, passed in: the store, time, unique text ({@code nonces}: 128
 * random bits or better), bounded parallelism, room outside the heap, and who hears of progress.
 */
public record Ports(
    ObjectStore store,
    Clock clock,
    Supplier<String> nonces,
    ParallelRunner runner,
    Scratch scratch,
    Progress progress) {

  public Ports with(ObjectStore other) {
    return new Ports(other, clock, nonces, runner, scratch, progress);
  }
}
