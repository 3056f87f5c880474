package io.repave.hadoop.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Clock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SystemClockTest {
  private final SystemClock clock = new SystemClock();

  /** A request that hangs must not silence the heartbeats of other commits. */
  @Test
  void aRepetitionThatHangsDoesNotStopTheOthers() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(3);
    CountDownLatch begun = new CountDownLatch(1);
    Clock.Repetition slow =
        clock.every(
            1,
            () -> {
              begun.countDown();
              await(hanging);
            });
    assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
    try (Clock.Repetition second = clock.every(1, others::countDown)) {
      assertThat(others.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      hanging.countDown();
      slow.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }
}
