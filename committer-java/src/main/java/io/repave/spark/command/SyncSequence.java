package io.repave.spark.command;

import java.io.IOException;

/** Brings forward a follower in a catalog and then the others, also if the first one fails. */
final class SyncSequence {
  private SyncSequence() {}

  /** Brings followers to the newest version; the answer is a document. */
  @FunctionalInterface
  interface Sync {
    String run() throws IOException, InterruptedException;
  }

  /** Runs both; returns the second answer, or throws the first failure. */
  static String run(Sync catalog, Sync others) throws IOException, InterruptedException {
    try {
      catalog.run();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      // Of any kind: Hive's exceptions are, and Scala declares none.
      runAfter(e, others);
      throw e;
    }
    return others.run();
  }

  private static void runAfter(Exception failure, Sync others) throws InterruptedException {
    try {
      others.run();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
