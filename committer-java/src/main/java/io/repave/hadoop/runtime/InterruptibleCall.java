package io.repave.hadoop.runtime;

import java.io.IOException;
import java.io.InterruptedIOException;

/** A call of the engine, for interfaces of Hadoop that declare no InterruptedException. */
@FunctionalInterface
public interface InterruptibleCall<T> {
  T run() throws IOException, InterruptedException;

  /**
   * Runs a call. An interrupt sets the thread's flag again and becomes an InterruptedIOException
   * with this message.
   */
  static <T> T run(String interrupted, InterruptibleCall<T> call) throws IOException {
    try {
      return call.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(interrupted);
    }
  }
}
