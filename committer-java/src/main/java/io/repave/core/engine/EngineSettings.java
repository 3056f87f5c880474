package io.repave.core.engine;

import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.util.List;

/**
 * How the engine behaves. {@code heartbeatMillis}: how often a running commit shows that it is
 * alive; one whose heartbeat stops for four times as long is finished by others, 0 for none. {@code
 * leaseMillis}: how long the entry of a commit without a heartbeat must stand unchanged before it
 * is finished by others (its age counts when it is first seen). {@code drainMillis}: longer than
 * any request lives; a revert waits so long. {@code allowed}: folders outside the table that a
 * recovery may complete and delete files in. {@code historyRetentionMillis}: how long vacuum keeps
 * the records of published commits.
 */
public record EngineSettings(
    Readers readers,
    ConflictPolicy conflicts,
    long heartbeatMillis,
    long leaseMillis,
    long drainMillis,
    RetryPolicy retry,
    int checkpointEvery,
    long historyRetentionMillis,
    List<Location> allowed) {
  public EngineSettings {
    allowed = List.copyOf(allowed);
  }

  public static final EngineSettings DEFAULTS =
      new EngineSettings(
          Readers.LISTING,
          ConflictPolicy.FAIL,
          2_000,
          60_000,
          300_000,
          RetryPolicy.DEFAULT,
          20,
          90L * 24 * 3_600_000,
          List.of());

  public EngineSettings with(Readers other) {
    return change().readers(other).done();
  }

  public EngineSettings with(ConflictPolicy other) {
    return change().conflicts(other).done();
  }

  /** A copy to be changed. */
  public Draft change() {
    return new Draft(this);
  }

  /** Settings in the making; what is not set stays as it was. */
  public static final class Draft {
    private Readers readers;
    private ConflictPolicy conflicts;
    private long heartbeatMillis;
    private long leaseMillis;
    private long drainMillis;
    private RetryPolicy retry;
    private int checkpointEvery;
    private long historyRetentionMillis;
    private List<Location> allowed;

    private Draft(EngineSettings from) {
      readers = from.readers;
      conflicts = from.conflicts;
      heartbeatMillis = from.heartbeatMillis;
      leaseMillis = from.leaseMillis;
      drainMillis = from.drainMillis;
      retry = from.retry;
      checkpointEvery = from.checkpointEvery;
      historyRetentionMillis = from.historyRetentionMillis;
      allowed = from.allowed;
    }

    public Draft readers(Readers now) {
      readers = now;
      return this;
    }

    public Draft conflicts(ConflictPolicy now) {
      conflicts = now;
      return this;
    }

    public Draft heartbeatMillis(long now) {
      heartbeatMillis = now;
      return this;
    }

    public Draft leaseMillis(long now) {
      leaseMillis = now;
      return this;
    }

    public Draft drainMillis(long now) {
      drainMillis = now;
      return this;
    }

    public Draft retry(RetryPolicy now) {
      retry = now;
      return this;
    }

    public Draft checkpointEvery(int now) {
      checkpointEvery = now;
      return this;
    }

    public Draft historyRetentionMillis(long now) {
      historyRetentionMillis = now;
      return this;
    }

    public Draft allowed(List<Location> now) {
      allowed = now;
      return this;
    }

    public EngineSettings done() {
      return new EngineSettings(
          readers,
          conflicts,
          heartbeatMillis,
          leaseMillis,
          drainMillis,
          retry,
          checkpointEvery,
          historyRetentionMillis,
          allowed);
    }
  }
}
