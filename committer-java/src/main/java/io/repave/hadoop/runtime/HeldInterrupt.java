package io.repave.hadoop.runtime;

/**
 * Holds an interrupt of the current thread back, because requests of an interrupted thread fail.
 * Spark interrupts the thread of a stream that is stopped, and Spark Connect and the Thrift server
 * that of a statement.
 */
public record HeldInterrupt(boolean interrupted) implements AutoCloseable {
  public static HeldInterrupt ofThread() {
    return new HeldInterrupt(Thread.interrupted());
  }

  @Override
  public void close() {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
