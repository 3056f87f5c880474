package io.repave.core;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.util.List;

/**
 * How the engine behaves. {@code leaseMillis}: how long another commit's entry must stand unchanged
 * before it is helped (its age counts when it is first seen). {@code drainMillis}: longer than any
 * request lives; a revert waits so long. {@code allowed}: folders outside the table that a recovery
 * may complete and delete files in.
 */
public record EngineSettings(
    Readers readers,
    ConflictPolicy conflicts,
    long leaseMillis,
    long drainMillis,
    RetryPolicy retry,
    int checkpointEvery,
    List<Location> allowed) {
  public EngineSettings {
    allowed = List.copyOf(allowed);
  }

  public static final EngineSettings DEFAULTS =
      new EngineSettings(
          Readers.LISTING,
          ConflictPolicy.FAIL,
          60_000,
          300_000,
          RetryPolicy.DEFAULT,
          20,
          List.of());

  public EngineSettings with(Readers other) {
    return new EngineSettings(
        other, conflicts, leaseMillis, drainMillis, retry, checkpointEvery, allowed);
  }

  public EngineSettings with(ConflictPolicy other) {
    return new EngineSettings(
        readers, other, leaseMillis, drainMillis, retry, checkpointEvery, allowed);
  }
}
