package io.repave.hadoop.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
class RequestRetryTest {
  private int calls;

  private String fail(Kind kind) throws StoreException {
    calls++;
    throw new StoreException(kind, "no answer to try " + calls);
  }

  private static RequestRetry retry(int attempts, long firstMillis, long budgetMillis) {
    return new RequestRetry(new RetryPolicy(attempts, firstMillis, 4 * firstMillis, budgetMillis));
  }

  @Test
  void aRequestWithoutAnAnswerIsSentAgain() throws IOException {
    assertThat(retry(10, 1, 20_000).send(() -> calls < 4 ? fail(Kind.UNKNOWN) : "done"))
        .isEqualTo("done");
    assertThat(calls).isEqualTo(4);
  }

  @Test
  void theNumberOfTriesEndsThem() {
    assertThatThrownBy(() -> retry(3, 1, 20_000).send(() -> fail(Kind.UNKNOWN)))
        .hasMessage("no answer to try 3");
  }

  @Test
  void noPauseIsBegunThatWouldOutlastTheBudget() {
    long started = System.nanoTime();

    assertThatThrownBy(() -> retry(1_000, 60_000, 50_000).send(() -> fail(Kind.UNKNOWN)))
        .hasMessage("no answer to try 1");
    assertThat(System.nanoTime() - started).isLessThan(20_000_000_000L);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
  void aPlainAnswerIsNotAskedForAgain(Kind kind) {
    assertThatThrownBy(() -> retry(10, 1, 20_000).send(() -> fail(kind)))
        .hasMessage("no answer to try 1");
  }

  @Test
  void anAttemptThatIsGivenUpEndsThePauseOfItsRequests() {
    CountDownLatch stopped = new CountDownLatch(1);

    assertThatThrownBy(
            () ->
                retry(10, 60_000, 600_000)
                    .send(
                        () -> {
                          stopped.countDown();
                          return fail(Kind.UNKNOWN);
                        },
                        stopped))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(calls).isEqualTo(1);
  }
}
