package io.repave.hadoop.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BoundedParallelRunnerTest {
  private static final int WIDTH = 4;
  private final BoundedParallelRunner runner = new BoundedParallelRunner("runner-test", WIDTH);

  @AfterEach
  void close() {
    runner.close();
  }

  private static Iterator<Integer> numbers(int count) {
    return IntStream.range(0, count).iterator();
  }

  /** Counts how many items run at a time. */
  private static final class Crowd {
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    void pass() throws InterruptedException {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      Thread.sleep(1);
      running.decrementAndGet();
    }
  }

  /** A caller whose items all sleep until they are interrupted. */
  private final class SleepingCaller {
    private final CountDownLatch started = new CountDownLatch(WIDTH);
    private final AtomicInteger interrupted = new AtomicInteger();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final Thread thread = new Thread(this::call);

    /** Starts the call and returns when the runner is full. */
    SleepingCaller start() throws InterruptedException {
      thread.start();
      started.await();
      return this;
    }

    private void call() {
      try {
        runner.each(numbers(100), item -> sleep());
      } catch (Exception e) {
        thrown.set(e);
      }
    }

    private void sleep() throws InterruptedException {
      started.countDown();
      try {
        Thread.sleep(TimeUnit.MINUTES.toMillis(5));
      } catch (InterruptedException e) {
        interrupted.incrementAndGet();
        throw e;
      }
    }
  }

  @Test
  void everyItemRunsOnceAndNeverMoreThanTheWidthAtATime() throws Exception {
    Queue<Integer> seen = new ConcurrentLinkedQueue<>();
    Crowd crowd = new Crowd();
    runner.each(
        numbers(500),
        item -> {
          seen.add(item);
          crowd.pass();
        });
    assertThat(seen).hasSize(500).doesNotHaveDuplicates();
    assertThat(crowd.most).hasValue(WIDTH);
  }

  @Test
  void oneInterruptWaitsForTheWorkAndASecondOneStopsIt() throws Exception {
    assertThat(interruptedTimes(1)).isEqualTo("ended, interrupt kept");
    assertThat(interruptedTimes(2)).isEqualTo("stopped, interrupt kept");
    Thread.currentThread().interrupt();
    String early = runner.despiteInterrupt(() -> "ended");
    assertThat(early).isEqualTo("ended");
    assertThat(Thread.interrupted()).isTrue();
  }

  /** How work ends that waits for as many interrupts of its caller, and for the way on. */
  private String interruptedTimes(int times) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicReference<String> ended = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              String how;
              try {
                how =
                    runner.despiteInterrupt(
                        () -> {
                          started.countDown();
                          goOn.await();
                          return "ended";
                        });
              } catch (IOException | InterruptedException e) {
                how = "stopped";
              }
              ended.set(how + (Thread.interrupted() ? ", interrupt kept" : ""));
            });
    caller.start();
    started.await();
    for (int sent = 1; sent <= times; sent++) {
      caller.interrupt();
      // Until the caller has seen it, a second interrupt would be the same one.
      while (caller.isInterrupted()) {
        Thread.sleep(1);
      }
    }
    if (times == 1) {
      goOn.countDown();
    }
    caller.join();
    return ended.get();
  }

  @Test
  void itemsAreTakenOnlyWhenThereIsRoomForThem() throws Exception {
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    AtomicInteger mostWaiting = new AtomicInteger();
    Iterator<Integer> items =
        IntStream.range(0, 200)
            .peek(
                item ->
                    mostWaiting.accumulateAndGet(taken.incrementAndGet() - ended.get(), Math::max))
            .iterator();
    runner.each(items, item -> ended.incrementAndGet());
    // One more than the width: an item ends before its slot is released.
    assertThat(mostWaiting.get()).isLessThanOrEqualTo(WIDTH + 1);
  }

  @Test
  void afterAFailureNothingIsStartedAndTheOthersAreSuppressed() {
    CyclicBarrier together = new CyclicBarrier(WIDTH);
    AtomicInteger started = new AtomicInteger();
    AtomicInteger taken = new AtomicInteger();
    Iterator<Integer> items =
        IntStream.range(0, 1000).peek(item -> taken.incrementAndGet()).iterator();
    assertThatThrownBy(
            () ->
                runner.each(
                    items,
                    item -> {
                      started.incrementAndGet();
                      try {
                        together.await();
                      } catch (java.util.concurrent.BrokenBarrierException e) {
                        throw new IllegalStateException(e);
                      }
                      throw new IOException("item " + item);
                    }))
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(WIDTH - 1));
    assertThat(started).hasValue(WIDTH);
    assertThat(taken.get()).isLessThanOrEqualTo(2 * WIDTH);
  }

  @Test
  void aFailingIteratorFailsTheCallAfterTheStartedWorkEnded() {
    CountDownLatch started = new CountDownLatch(2);
    AtomicInteger ended = new AtomicInteger();
    Iterator<Integer> items =
        IntStream.range(0, 10)
            .peek(
                item -> {
                  if (item == 2) {
                    awaitUninterrupted(started);
                    throw new IllegalStateException("a corrupt record");
                  }
                })
            .iterator();
    assertThatThrownBy(
            () ->
                runner.each(
                    items,
                    item -> {
                      started.countDown();
                      Thread.sleep(50);
                      ended.incrementAndGet();
                    }))
        .hasMessage("a corrupt record");
    assertThat(ended).hasValue(2);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void anInterruptedCallerInterruptsItsWorkAndReturnsWhenThatEnded() throws Exception {
    SleepingCaller caller = new SleepingCaller().start();
    caller.thread.interrupt();
    caller.thread.join();
    assertThat(caller.thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(caller.interrupted).hasValue(WIDTH);
    // The threads have no interrupt left.
    runner.each(numbers(20), item -> assertThat(Thread.currentThread().isInterrupted()).isFalse());
  }

  @Test
  void callsFromManyThreadsShareTheWidth() throws Exception {
    Crowd crowd = new Crowd();
    AtomicInteger done = new AtomicInteger();
    List<Thread> callers =
        IntStream.range(0, 6)
            .mapToObj(
                caller ->
                    new Thread(
                        () -> {
                          try {
                            runner.each(
                                numbers(50),
                                item -> {
                                  crowd.pass();
                                  done.incrementAndGet();
                                });
                          } catch (IOException | InterruptedException e) {
                            throw new IllegalStateException(e);
                          }
                        }))
            .toList();
    callers.forEach(Thread::start);
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(done).hasValue(300);
    assertThat(crowd.most.get()).isLessThanOrEqualTo(WIDTH);
  }

  @Test
  void aCallFromWithinAnActionDoesNotWaitForThePool() throws Exception {
    AtomicInteger inner = new AtomicInteger();
    runner.each(numbers(20), item -> runner.each(numbers(20), each -> inner.incrementAndGet()));
    assertThat(inner).hasValue(400);
  }

  @Test
  void threadsAreNamedDaemonsAndEndOnClose() throws Exception {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    runner.each(numbers(50), item -> threads.add(Thread.currentThread()));
    assertThat(threads).allMatch(Thread::isDaemon);
    assertThat(threads).allMatch(thread -> thread.getName().startsWith("runner-test-"));
    runner.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThatThrownBy(() -> runner.each(numbers(1), item -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void closingInTheMiddleEndsTheCall() throws Exception {
    SleepingCaller caller = new SleepingCaller().start();
    runner.close();
    caller.thread.join();
    assertThat(caller.thrown.get()).isNotNull();
  }

  /** "OutOfMemoryError: unable to create native thread", where a container limits processes. */
  @Test
  void aThreadThatCannotStartFailsTheCallAndReleasesItsSlot() {
    try (BoundedParallelRunner without =
        new BoundedParallelRunner(
            "runner-test",
            1,
            work -> {
              throw new Error("unable to create native thread");
            })) {
      for (int call = 0; call < 2; call++) {
        assertThatThrownBy(() -> without.each(numbers(3), item -> {})).isInstanceOf(Error.class);
      }
    }
  }
}
