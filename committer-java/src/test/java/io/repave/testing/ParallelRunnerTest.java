package io.repave.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.repave.core.store.ParallelRunner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The runners of the tests keep the contract of {@link ParallelRunner}. */
class ParallelRunnerTest {
  private static final List<Integer> ITEMS = IntStream.range(0, 100).boxed().toList();

  @Test
  void everyRunnerRunsEveryItemOnce() throws IOException, InterruptedException {
    for (ParallelRunner fan :
        List.of(new SequentialRunner(), SequentialRunner.shuffled(4, 1), new ThreadedRunner(4))) {
      ConcurrentSkipListSet<Integer> seen = new ConcurrentSkipListSet<>();
      AtomicInteger runs = new AtomicInteger();

      fan.each(
          ITEMS.iterator(),
          item -> {
            seen.add(item);
            runs.incrementAndGet();
          });

      assertThat(seen).containsExactlyElementsOf(ITEMS);
      assertThat(runs).hasValue(ITEMS.size());
    }
  }

  @Test
  void aSequentialRunnerKeepsTheOrderUnlessItIsShuffled() throws IOException, InterruptedException {
    assertThat(order(new SequentialRunner())).isEqualTo(ITEMS);
    assertThat(order(SequentialRunner.shuffled(4, 1)))
        .isEqualTo(order(SequentialRunner.shuffled(4, 1)))
        .isNotEqualTo(order(SequentialRunner.shuffled(4, 2)))
        .isNotEqualTo(ITEMS);
  }

  @Test
  void aShuffledRunnerTakesNoMoreItemsThanItsWidthAhead() throws IOException, InterruptedException {
    List<Integer> order = order(SequentialRunner.shuffled(4, 1));

    for (int done = 0; done < order.size(); done++) {
      assertThat(order.get(done)).isLessThan(done + 4);
    }
  }

  @Test
  void noItemIsTakenAfterAFailureAndTheOthersFailuresAreKept() {
    for (ParallelRunner fan :
        List.of(new SequentialRunner(), SequentialRunner.shuffled(4, 1), new ThreadedRunner(4))) {
      AtomicInteger runs = new AtomicInteger();

      Throwable failed =
          catchThrowable(
              () ->
                  fan.each(
                      ITEMS.iterator(),
                      item -> {
                        runs.incrementAndGet();
                        throw new IOException("item " + item);
                      }));

      assertThat(failed).isInstanceOf(IOException.class).hasMessageStartingWith("item ");
      // The items that were running when the first one failed.
      assertThat(runs.get()).isBetween(1, 4).isEqualTo(1 + failed.getSuppressed().length);
    }
  }

  @Test
  void theEndOfAProcessIsNotHeldUp() {
    for (ParallelRunner fan :
        List.of(new SequentialRunner(), SequentialRunner.shuffled(4, 1), new ThreadedRunner(4))) {
      assertThatThrownBy(
              () ->
                  fan.each(
                      ITEMS.iterator(),
                      item -> {
                        throw ProcessDied.atCall("driver", item);
                      }))
          .isInstanceOf(ProcessDied.class);
    }
  }

  @Test
  void aThreadedRunnerRunsAsManyItemsAtOnceAsItIsWide() throws IOException, InterruptedException {
    CountDownLatch together = new CountDownLatch(4);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();

    new ThreadedRunner(4)
        .each(
            ITEMS.iterator(),
            item -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              together.countDown();
              assertThat(together.await(10, TimeUnit.SECONDS)).isTrue();
              running.decrementAndGet();
            });

    assertThat(most).hasValue(4);
  }

  @Test
  void aThreadedRunnerReturnsWhenTheLastItemHasEnded() throws IOException, InterruptedException {
    AtomicInteger ended = new AtomicInteger();

    new ThreadedRunner(4)
        .each(
            ITEMS.subList(0, 4).iterator(),
            item -> {
              Thread.sleep(50);
              ended.incrementAndGet();
            });

    assertThat(ended).hasValue(4);
  }

  private static List<Integer> order(ParallelRunner fan) throws IOException, InterruptedException {
    List<Integer> order = new ArrayList<>();
    fan.each(ITEMS.iterator(), order::add);
    return order;
  }
}
