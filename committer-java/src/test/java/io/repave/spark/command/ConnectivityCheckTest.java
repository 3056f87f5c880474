package io.repave.spark.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** A command reports an unreachable store soon, but waits for a store that recovers. */
class ConnectivityCheckTest {
  private static final String TABLE = "s3a://lake/t";

  private static Configuration of(StubS3 stub) {
    Configuration conf = stub.configuration();
    conf.set("fs.s3a.impl.disable.cache", "true");
    return conf;
  }

  @Test
  void aStoreThatIsNotThereIsToldLongBeforeTheBudgetIsSpent() throws IOException {
    StubS3 gone = new StubS3(request -> Answer.of(200, ""));
    Configuration conf = of(gone);
    gone.close();

    long started = System.nanoTime();
    Throwable failure = catchThrowable(() -> ConnectivityCheck.run(conf, TABLE, 500));

    assertThat(failure)
        .hasMessageStartingWith("S3 cannot be reached, so nothing was done.")
        .hasMessageContaining("--conf spark.hadoop.fs.s3a.proxy.host=…");
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofMinutes(1));
  }

  @Test
  void aBucketsOwnNumberOfAttemptsDoesNotProlongIt() throws IOException {
    try (StubS3 busy = new StubS3(request -> Answer.error(503, "SlowDown", "later"))) {
      Configuration conf = of(busy);
      conf.set("fs.s3a.bucket.lake.attempts.maximum", "20");

      catchThrowable(() -> ConnectivityCheck.run(conf, TABLE, 500));

      assertThat(busy.requests())
          .allSatisfy(sent -> assertThat(sent.header("amz-sdk-request")).endsWith("max=2"));
    }
  }

  @Test
  void aStoreThatIsBusyForAMomentIsWaitedFor() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    try (StubS3 busy =
        new StubS3(
            request ->
                asked.incrementAndGet() < 3
                    ? Answer.error(503, "SlowDown", "later")
                    : Answer.error(404, "NoSuchKey", "no head"))) {
      assertThatCode(() -> ConnectivityCheck.run(of(busy), TABLE, 15_000))
          .doesNotThrowAnyException();
    }
    assertThat(asked).hasValue(3);
  }

  @Test
  void aRefusalIsPassedOnAsItIs() throws IOException {
    try (StubS3 closed = new StubS3(request -> Answer.error(403, "AccessDenied", "not you"))) {
      Throwable failure = catchThrowable(() -> ConnectivityCheck.run(of(closed), TABLE, 15_000));

      assertThat(failure).hasMessageContaining("AccessDenied");
      assertThat(closed.requests()).hasSize(1);
    }
  }
}
