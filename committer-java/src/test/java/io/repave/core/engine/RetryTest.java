package io.repave.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.VirtualClock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryTest {
  private static final long FIRST_MILLIS = 100;
  private static final long MOST_MILLIS = 1_000;
  private static final long BUDGET_MILLIS = 10_000;

  private final VirtualClock clock = new VirtualClock();
  private int nonces;
  private int calls;

  private Retry retry(int attempts) {
    RetryPolicy policy = new RetryPolicy(attempts, FIRST_MILLIS, MOST_MILLIS, BUDGET_MILLIS);
    return new Retry(policy, clock, () -> "nonce " + 7919 * ++nonces);
  }

  private String fail(Kind kind) throws StoreException {
    calls++;
    throw new StoreException(kind, "no answer to try " + calls);
  }

  private List<Long> pauses(Retry.Attempts attempts) throws InterruptedException {
    List<Long> pauses = new ArrayList<>();
    long before = clock.tickMillis();
    while (attempts.pause()) {
      pauses.add(clock.tickMillis() - before);
      before = clock.tickMillis();
    }
    return pauses;
  }

  @Test
  void pausesDoubleUpToTheirLimitEachShortenedByAtMostHalf() throws InterruptedException {
    List<Long> pauses = pauses(retry(1_000).begin());

    long full = FIRST_MILLIS;
    for (long pause : pauses) {
      assertThat(pause).isBetween(full / 2, full);
      full = Math.min(MOST_MILLIS, 2 * full);
    }
    assertThat(pauses).hasSizeGreaterThan(10);
  }

  @Test
  void twoProcessesThatFailTogetherRetryAtDifferentTimes() throws InterruptedException {
    Set<List<Long>> rhythms = new HashSet<>();
    for (int process = 0; process < 10; process++) {
      rhythms.add(pauses(retry(1_000).begin()));
    }

    assertThat(rhythms).hasSize(10);
  }

  @Test
  void theBudgetIncludesTheTimeOfTheRepetitions() {
    assertThatThrownBy(
            () ->
                retry(1_000)
                    .known(
                        () -> {
                          clock.advance(2_000);
                          return fail(Kind.UNKNOWN);
                        }))
        .hasMessage("no answer to try 6");
    assertThat(clock.tickMillis()).isLessThan(2_000 + BUDGET_MILLIS + 2_000 + MOST_MILLIS);
  }

  /** The process was frozen with a request in flight, or did other work before it failed. */
  @Test
  void theTimeBeforeTheFirstFailureIsNotInTheBudget() throws Exception {
    String answer =
        retry(1_000)
            .known(
                () -> {
                  if (calls > 0) {
                    return "answered";
                  }
                  clock.advance(2 * BUDGET_MILLIS);
                  return fail(Kind.UNKNOWN);
                });
    assertThat(answer).isEqualTo("answered");
  }

  @Test
  void theNumberOfTriesEndsThem() {
    assertThatThrownBy(() -> retry(3).known(() -> fail(Kind.UNKNOWN)))
        .hasMessage("no answer to try 3");
  }

  @Test
  void anAnswerEndsTheTries() throws Exception {
    String answer =
        retry(1_000).known(() -> calls < 2 ? fail(Kind.UNKNOWN) : "answered after " + calls);

    assertThat(answer).isEqualTo("answered after 2");
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
  void aPlainAnswerIsNotAskedForAgain(Kind kind) {
    assertThatThrownBy(() -> retry(1_000).known(() -> fail(kind))).hasMessage("no answer to try 1");
    assertThat(clock.tickMillis()).isZero();
  }
}
