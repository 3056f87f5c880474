package io.repave.core.step;

import io.repave.core.EngineSettings;
import io.repave.core.Ports;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Clock;
import io.repave.core.store.Fan;
import io.repave.core.store.ObjectStore;

/** What every step works with: the ports, the table's places, the settings, the meter. */
public record StepContext(Ports ports, TablePaths paths, EngineSettings settings, Meter meter) {

  public ObjectStore store() {
    return ports.store();
  }

  public Fan fan() {
    return ports.fan();
  }

  public Clock clock() {
    return ports.clock();
  }

  public Retry retry() {
    return new Retry(settings.retry(), ports.clock(), ports.nonces());
  }

  public HeadStore heads() {
    return new HeadStore(ports.store(), paths.head(), retry(), ports.nonces());
  }

  /** The command that finishes what a dead driver left, for messages. */
  public String recoverCommand() {
    return "repave recover " + paths.root();
  }
}
