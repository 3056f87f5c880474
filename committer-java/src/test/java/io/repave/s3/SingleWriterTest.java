package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StubS3;
import io.repave.testing.StubS3.Answer;
import io.repave.testing.StubS3.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A single writer compares by a HEAD, and then writes. */
class SingleWriterTest {
  private static final Location HEAD = new Location("lake", "t/_repave/head.json");

  private static StoreException failedSwap(StubS3 stub) throws IOException {
    ByteBuffer content = ByteBuffer.wrap(new byte[1]);
    try (FileSystem files = stub.files("lake", stub.configuration())) {
      ObjectStore store = S3Stores.openForSingleWriter(bucket -> files);
      return catchThrowableOfType(StoreException.class, () -> store.putIfMatch(HEAD, content, "a"));
    }
  }

  /** Google allows one write of an object per second. The next try needs no wait. */
  @Test
  void aWriteThatCameTooSoonIsNotAppliedLater() throws Exception {
    try (StubS3 stub =
        new StubS3(
            request ->
                request.method().equals("PUT")
                    ? Answer.error(429, "SlowDown", "One write per second.")
                    : Answer.tagged("a"))) {
      StoreException failure = failedSwap(stub);

      assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
      assertThat(failure.isUnapplied()).isTrue();
      assertThat(failure)
          .hasMessageContaining("PUT If-Match s3://lake/t/_repave/head.json answered");
    }
  }

  /** A write that was not sent needs no wait for its late effect. */
  @ParameterizedTest
  @ValueSource(strings = {"HEAD", "PUT"})
  void onlyAWriteThatWasSentMayBeAppliedLater(String failing) throws Exception {
    try (StubS3 stub =
        new StubS3(
            request ->
                request.method().equals(failing)
                    ? Answer.error(500, "InternalError", "down")
                    : Answer.tagged("a"))) {
      StoreException failure = failedSwap(stub);

      assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
      List<String> sent = stub.requests().stream().map(Request::method).toList();
      assertThat(failure.isUnapplied()).isEqualTo(!sent.contains("PUT"));
      assertThat(failure.isUnapplied()).isEqualTo(failing.equals("HEAD"));
    }
  }
}
