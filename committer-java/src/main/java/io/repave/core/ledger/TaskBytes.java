package io.repave.core.ledger;

import java.io.IOException;

/** The bytes of one task's ledger: in memory, or fetched each time they are used. */
@FunctionalInterface
public interface TaskBytes {
  byte[] read() throws IOException, InterruptedException;
}
