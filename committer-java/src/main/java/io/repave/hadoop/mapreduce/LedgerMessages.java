package io.repave.hadoop.mapreduce;

import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the tasks of this process send ledgers to their job, where an engine offers a way. Hadoop's
 * committers cannot send messages, so without one a ledger is an object in the store.
 */
public final class LedgerMessages {
  public static final LedgerMessages JVM = new LedgerMessages();
  private static final Logger LOG = LoggerFactory.getLogger(LedgerMessages.class);

  private volatile Optional<Way> way = Optional.empty();

  /** A way to the process of the job. Returns what {@link LedgerInbox#receive} answered there. */
  @FunctionalInterface
  public interface Way {
    LedgerAnswer send(SentLedger ledger) throws IOException;
  }

  public void use(Way found) {
    way = Optional.of(found);
  }

  public void stop() {
    way = Optional.empty();
  }

  /** Without a way, or without an answer, the ledger must be stored. */
  LedgerAnswer send(SentLedger ledger) {
    Optional<Way> found = way;
    if (found.isEmpty()) {
      return LedgerAnswer.STORE;
    }
    try {
      return found.get().send(ledger);
    } catch (IOException | RuntimeException e) {
      LOG.info("The ledger of task {} goes through the store, not by message.", ledger.task(), e);
      return LedgerAnswer.STORE;
    }
  }
}
