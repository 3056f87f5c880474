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
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The SDK repeats a request by itself. When the first try of a conditional write was applied and
 * its answer was lost, a refusal of the second try proves nothing.
 */
class RepeatedRequestTest {
  private static final Location HEAD = new Location("lake", "t/_repave/head.json");
  private static final Answer LOST = Answer.error(500, "InternalError", "applied, maybe");
  private static final Answer EXPIRED = Answer.error(403, "ExpiredToken", "The token has expired.");
  private static final Answer INVALID = Answer.error(400, "InvalidRequest", "No such thing.");

  /** One conditional write of a store. */
  private interface Write {
    void run(ObjectStore store, ByteBuffer content) throws StoreException;
  }

  private static Kind kind(List<Answer> answers, Write write) throws Exception {
    Deque<Answer> left = new ArrayDeque<>(answers);
    try (StubS3 stub = new StubS3(request -> left.remove())) {
      Configuration conf = stub.configuration();
      conf.unset("fs.s3a.attempts.maximum");
      try (FileSystem files = stub.files("lake", conf)) {
        ObjectStore store = S3Stores.open(bucket -> files);
        StoreException failure =
            catchThrowableOfType(
                StoreException.class, () -> write.run(store, ByteBuffer.wrap(new byte[1])));
        assertThat(left).isEmpty();
        return failure.kind();
      }
    }
  }

  @Test
  void aSwapThatWasSentTwiceIsOpenWhenTheSecondTryIsDenied() throws Exception {
    Write swap = (store, content) -> store.putIfMatch(HEAD, content, "tag");
    assertThat(kind(List.of(LOST, EXPIRED), swap)).isEqualTo(Kind.UNKNOWN);
    assertThat(kind(List.of(LOST, INVALID), swap)).isEqualTo(Kind.UNKNOWN);
  }

  /** SDK 1 calls listeners in a thread of its own, which may be late. */
  @Test
  @EnabledIf("io.repave.testing.AwsSdk#isOne")
  void aSwapThatWasSentTwiceIsOpenHoweverBusyTheSdkIs() throws Exception {
    Write swap = (store, content) -> store.putIfMatch(HEAD, content, "tag");
    try (AutoCloseable busy = BusyProgressThread.start()) {
      assertThat(kind(List.of(LOST, EXPIRED), swap)).isEqualTo(Kind.UNKNOWN);
    }
  }

  @Test
  void aCreationThatWasSentTwiceIsOpenWhenTheSecondTryIsDenied() throws Exception {
    Write creation = (store, content) -> store.putIfAbsent(HEAD, content);
    assertThat(kind(List.of(LOST, EXPIRED), creation)).isEqualTo(Kind.UNKNOWN);
  }

  /** What a test does with the store of a single writer. */
  private interface Use {
    void run(ObjectStore store, ByteBuffer content) throws Exception;
  }

  /** The answers are those to PUT. The head always has the tag {@code a}. */
  private static void useAsSingleWriter(List<Answer> answers, Use use) throws Exception {
    Deque<Answer> left = new ArrayDeque<>(answers);
    Function<Request, Answer> answer =
        request -> request.method().equals("PUT") ? left.remove() : Answer.tagged("a");
    try (StubS3 stub = new StubS3(answer)) {
      Configuration conf = stub.configuration();
      conf.unset("fs.s3a.attempts.maximum");
      try (FileSystem files = stub.files("lake", conf)) {
        use.run(S3Stores.openForSingleWriter(bucket -> files), ByteBuffer.wrap(new byte[1]));
      }
    }
    assertThat(left).isEmpty();
  }

  /** Such a store does not refuse the first try, which may be applied after the next swap. */
  @Test
  void aSwapOfASingleWriterThatWasSentTwiceIsOpenAlsoWhenItSucceeds() throws Exception {
    // With a dash, because SDK 1 compares other tags with the content's MD5.
    useAsSingleWriter(
        List.of(LOST, Answer.tagged("b-1"), Answer.tagged("c-1")),
        (store, content) -> {
          StoreException failure =
              catchThrowableOfType(
                  StoreException.class, () -> store.putIfMatch(HEAD, content, "a"));

          assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
          assertThat(store.putIfMatch(HEAD, content, "a")).isEqualTo("c-1");
        });
  }

  /** S3 answers so while it is still working on the first try. */
  @Test
  void aSwapOfASingleWriterThatWasSentTwiceIsOpenAlsoWhenItIsRefused() throws Exception {
    useAsSingleWriter(
        List.of(LOST, Answer.error(409, "OperationAborted", "Another one is in progress.")),
        (store, content) -> {
          StoreException failure =
              catchThrowableOfType(
                  StoreException.class, () -> store.putIfMatch(HEAD, content, "a"));

          assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
          assertThat(failure).hasMessageContaining("Another one is in progress.");
        });
  }

  /**
   * Google allows one write of an object per second. SDK 1 does not tell what a try was answered.
   */
  @Test
  @EnabledIf("io.repave.testing.AwsSdk#isTwo")
  void aTryThatCameTooSoonLeavesNothingOpen() throws Exception {
    Answer tooSoon = Answer.error(429, "SlowDown", "One write per second.");
    useAsSingleWriter(
        List.of(tooSoon, Answer.tagged("b-1")),
        (store, content) -> assertThat(store.putIfMatch(HEAD, content, "a")).isEqualTo("b-1"));
    for (List<Answer> answers :
        List.of(List.of(tooSoon, LOST, Answer.tagged("b-1")), List.of(LOST, tooSoon, EXPIRED))) {
      useAsSingleWriter(
          answers,
          (store, content) ->
              assertThat(
                      catchThrowableOfType(
                              StoreException.class, () -> store.putIfMatch(HEAD, content, "a"))
                          .isUnapplied())
                  .isFalse());
    }
  }

  @Test
  void aSwapThatWasSentOnceIsDenied() throws Exception {
    Write swap = (store, content) -> store.putIfMatch(HEAD, content, "tag");
    assertThat(kind(List.of(EXPIRED), swap)).isEqualTo(Kind.DENIED);
  }
}
