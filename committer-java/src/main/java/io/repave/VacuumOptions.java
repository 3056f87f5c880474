package io.repave;

import java.time.Duration;
import java.util.Optional;

/**
 * How {@link RepaveTable#vacuum} works: {@code VacuumOptions.configured().dryRun()}.
 *
 * @param retention how long replaced files are kept; empty for the setting {@code repave.retention}
 * @param isDryRun whether vacuum only reports what it would delete
 */
public record VacuumOptions(Optional<Duration> retention, boolean isDryRun) {
  public VacuumOptions {
    if (retention.filter(Duration::isNegative).isPresent()) {
      throw new IllegalArgumentException(
          "The retention is negative: " + retention.get() + ". Use zero to keep nothing.");
    }
  }

  /** Deletes with the retention of the configuration. */
  public static VacuumOptions configured() {
    return new VacuumOptions(Optional.empty(), false);
  }

  /** The same, with this retention. */
  public VacuumOptions keeping(Duration kept) {
    return new VacuumOptions(Optional.of(kept), isDryRun);
  }

  /** The same, but nothing is deleted. */
  public VacuumOptions dryRun() {
    return new VacuumOptions(retention, true);
  }
}
