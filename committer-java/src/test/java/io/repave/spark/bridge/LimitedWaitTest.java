package io.repave.spark.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LimitedWaitTest {
  @Test
  void workThatEndsInTimeIsWaitedFor() {
    assertThat(LimitedWait.run("test", Duration.ofMinutes(1), () -> {})).isTrue();
  }

  @Test
  void workThatTakesTooLongGoesOnWithoutItsCaller() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Runnable work =
        () -> {
          try {
            go.await();
            ended.countDown();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    assertThat(LimitedWait.run("test", Duration.ofMillis(20), work)).isFalse();
    go.countDown();
    assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void anInterruptFromBeforeIsKeptForTheCaller() {
    Thread.currentThread().interrupt();
    assertThat(LimitedWait.run("test", Duration.ofMinutes(1), () -> {})).isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }
}
