package io.repave.core.ledger;

import java.io.IOException;

/** The bytes of one task's ledger: in memory, or fetched each time that they are used. */
@FunctionalInterface
public interface TaskBytes {
  byte[] read() throws IOException, InterruptedException;

  /** Whether they are in memory, so that reading them takes no request. */
  default boolean isInMemory() {
    return false;
  }

  static TaskBytes inMemory(byte[] ledger) {
    return new TaskBytes() {
      @Override
      public byte[] read() {
        return ledger;
      }

      @Override
      public boolean isInMemory() {
        return true;
      }
    };
  }
}
