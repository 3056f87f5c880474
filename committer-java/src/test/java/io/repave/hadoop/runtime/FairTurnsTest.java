package io.repave.hadoop.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.Turns.Turn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FairTurnsTest {
  private final FairTurns turns = new FairTurns();

  private static void awaitState(Thread thread, Thread.State state) throws InterruptedException {
    while (thread.getState() != state) {
      Thread.sleep(1);
    }
  }

  @Test
  void aFreeTurnIsTakenWithoutWaiting() throws Exception {
    try (Turn first = turns.take()) {
      assertThat(first.waited()).isFalse();
    }
    try (Turn second = turns.take()) {
      assertThat(second.waited()).isFalse();
    }
  }

  @Test
  void turnsComeInTheOrderInWhichThreadsAsk() throws Exception {
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    try (Turn first = turns.take()) {
      for (int number = 0; number < 5; number++) {
        int own = number;
        Thread thread = new Thread(() -> note(order, own));
        thread.start();
        awaitState(thread, Thread.State.TIMED_WAITING);
        threads.add(thread);
      }
      assertThat(order).isEmpty();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(order).containsExactly(0, 1, 2, 3, 4);
  }

  private void note(List<Integer> order, int own) {
    try (Turn turn = turns.take()) {
      order.add(turn.waited() ? own : -1);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTurnThatNeverEndsDelaysOthersForALimitedTime() throws Exception {
    FairTurns impatient = new FairTurns(20);
    Turn hanging = impatient.take();
    try (Turn without = impatient.take()) {
      assertThat(without.waited()).isTrue();
    }
    // The one without a turn did not end the other's.
    try (Turn again = impatient.take()) {
      assertThat(again.waited()).isTrue();
    }
    hanging.close();
    try (Turn free = impatient.take()) {
      assertThat(free.waited()).isFalse();
    }
  }

  @Test
  void anInterruptEndsTheWaitAndTakesNoTurn() throws Exception {
    try (Turn first = turns.take()) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(turns::take).isInstanceOf(InterruptedException.class);
    }
    try (Turn next = turns.take()) {
      assertThat(next.waited()).isFalse();
    }
  }
}
