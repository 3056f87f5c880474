package io.repave.testing;

import io.repave.core.engine.ConflictPolicy;
import io.repave.core.engine.EngineSettings;
import io.repave.core.engine.RetryPolicy;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.util.List;
import java.util.Optional;

/** The engine's settings of a test. Those that are not set keep their values. */
public final class EngineSettingsDraft {
  private static final EngineSettings DEFAULTS =
      new EngineSettings(
          Optional.empty(),
          ConflictPolicy.FAIL,
          2_000,
          60_000,
          300_000,
          RetryPolicy.DEFAULT,
          20,
          100,
          90L * 24 * 3_600_000,
          List.of(),
          List.of());

  private Optional<Readers> readers;
  private ConflictPolicy conflicts;
  private long heartbeatMillis;
  private long leaseMillis;
  private long drainMillis;
  private RetryPolicy retry;
  private int checkpointEvery;
  private int deltaCheckpointEvery;
  private long historyRetentionMillis;
  private List<Location> allowed;
  private List<FollowerKind> followers;

  /** Those of the product, where a test names no others. */
  public static EngineSettingsDraft ofDefaults() {
    return new EngineSettingsDraft(DEFAULTS);
  }

  public static EngineSettingsDraft of(EngineSettings settings) {
    return new EngineSettingsDraft(settings);
  }

  private EngineSettingsDraft(EngineSettings from) {
    readers = from.readers();
    conflicts = from.conflicts();
    heartbeatMillis = from.heartbeatMillis();
    leaseMillis = from.leaseMillis();
    drainMillis = from.drainMillis();
    retry = from.retry();
    checkpointEvery = from.checkpointEvery();
    deltaCheckpointEvery = from.deltaCheckpointEvery();
    historyRetentionMillis = from.historyRetentionMillis();
    allowed = from.allowed();
    followers = from.followers();
  }

  public EngineSettingsDraft readers(Optional<Readers> now) {
    readers = now;
    return this;
  }

  public EngineSettingsDraft readers(Readers now) {
    return readers(Optional.of(now));
  }

  public EngineSettingsDraft conflicts(ConflictPolicy now) {
    conflicts = now;
    return this;
  }

  public EngineSettingsDraft heartbeatMillis(long now) {
    heartbeatMillis = now;
    return this;
  }

  public EngineSettingsDraft leaseMillis(long now) {
    leaseMillis = now;
    return this;
  }

  public EngineSettingsDraft drainMillis(long now) {
    drainMillis = now;
    return this;
  }

  public EngineSettingsDraft retry(RetryPolicy now) {
    retry = now;
    return this;
  }

  public EngineSettingsDraft checkpointEvery(int now) {
    checkpointEvery = now;
    return this;
  }

  public EngineSettingsDraft deltaCheckpointEvery(int now) {
    deltaCheckpointEvery = now;
    return this;
  }

  public EngineSettingsDraft historyRetentionMillis(long now) {
    historyRetentionMillis = now;
    return this;
  }

  public EngineSettingsDraft allowed(List<Location> now) {
    allowed = now;
    return this;
  }

  public EngineSettingsDraft followers(List<FollowerKind> now) {
    followers = now;
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
        deltaCheckpointEvery,
        historyRetentionMillis,
        allowed,
        followers);
  }
}
