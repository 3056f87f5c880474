package io.repave.testing;

import static io.repave.testing.Sandbox.bytes;
import static io.repave.testing.Sandbox.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Uploads are invisible until they are completed, and then whole. */
interface UploadContract extends StoreContract {
  @Test
  default void anUploadIsInvisibleUntilItIsCompleted() throws IOException {
    Sandbox box = sandbox();

    PendingUpload upload = box.upload("a", "rows");

    assertThat(box.has("a")).isFalse();
    assertThat(box.store.read(box.at("a"), 10)).isEmpty();
    assertThat(box.names()).isEmpty();
    box.store.complete(upload);
    assertThat(box.text("a")).isEqualTo("rows");
    assertThat(box.names()).containsExactly("a");
    assertThat(box.store.head(box.at("a")).orElseThrow().bytes()).isEqualTo(4);
  }

  @Test
  default void theOldObjectStaysUntilTheUploadIsCompleted() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "old");

    PendingUpload upload = box.upload("a", "new");

    assertThat(box.text("a")).isEqualTo("old");
    box.store.complete(upload);
    assertThat(box.text("a")).isEqualTo("new");
  }

  @Test
  default void anEmptyObjectIsAnUploadOfOneEmptyPart() throws IOException {
    Sandbox box = sandbox();

    box.store.complete(box.upload("a", ""));

    assertThat(box.text("a")).isEmpty();
    assertThat(box.store.head(box.at("a")).orElseThrow().bytes()).isZero();
  }

  @Test
  default void partsAreJoinedByNumberNotByArrival() throws IOException {
    Sandbox box = sandbox();
    byte[] content = content(3 * box.partBytes() + 3);

    PendingUpload upload = upload(box, content, List.of(4, 2, 1, 3));
    box.store.complete(upload);

    assertThat(box.store.read(box.at("a"), content.length).orElseThrow().content())
        .isEqualTo(content);
  }

  @Test
  default void partsOfFiveMebibytesAreJoined() throws IOException {
    Sandbox box = sandbox();
    int part = 5 << 20;
    byte[] content = content(part + 17);
    String uploadId = box.store.createUpload(box.at("a"));

    List<String> etags =
        List.of(
            box.store.uploadPart(box.at("a"), uploadId, 1, ByteBuffer.wrap(content, 0, part)),
            box.store.uploadPart(box.at("a"), uploadId, 2, ByteBuffer.wrap(content, part, 17)));
    box.store.complete(new PendingUpload(box.at("a"), uploadId, part + 17, etags));

    assertThat(box.store.read(box.at("a"), content.length).orElseThrow().content())
        .isEqualTo(content);
  }

  @Test
  default void aPartThatIsSentAgainReplacesTheFirst() throws IOException {
    Sandbox box = sandbox();
    String uploadId = box.upload("a", "first").uploadId();

    String etag = box.store.uploadPart(box.at("a"), uploadId, 1, bytes("again"));
    box.store.complete(new PendingUpload(box.at("a"), uploadId, 5, List.of(etag)));

    assertThat(box.text("a")).isEqualTo("again");
  }

  @Test
  default void aCompleteThatNamesAWrongPartIsInvalidAndCanBeCorrected() throws IOException {
    Sandbox box = sandbox();
    PendingUpload good = box.upload("a", "rows");
    PendingUpload bad =
        new PendingUpload(
            good.at(), good.uploadId(), 4, List.of("d41d8cd98f00b204e9800998ecf8427e"));

    assertThat(failure(() -> box.store.complete(bad))).isEqualTo(Kind.INVALID);
    assertThat(box.has("a")).isFalse();
    box.store.complete(good);

    assertThat(box.text("a")).isEqualTo("rows");
  }

  @Test
  default void aReplayedCompleteIsAnsweredAsTheDialectSays() throws IOException {
    Sandbox box = sandbox();
    PendingUpload upload = box.upload("a", "rows");
    box.store.complete(upload);
    String etag = box.store.head(box.at("a")).orElseThrow().etag();

    Kind replay = failure(() -> box.store.complete(upload));

    switch (box.under.replay()) {
      case SAME_200 -> assertThat(replay).isNull();
      case ABSENT -> assertThat(replay).isEqualTo(Kind.ABSENT);
      // moto answers 200 as long as the object is there.
      default -> assertThat(replay).isIn(null, Kind.UNKNOWN);
    }
    assertThat(box.store.head(box.at("a")).orElseThrow().etag()).isEqualTo(etag);
    assertThat(box.text("a")).isEqualTo("rows");
  }

  /** The answer may be 200, so a 200 does not prove that the object exists. */
  @Test
  default void aReplayedCompleteDoesNotRaiseADeletedObject() throws IOException {
    Sandbox box = sandbox();
    PendingUpload upload = box.upload("a", "rows");
    box.store.complete(upload);
    box.store.delete(List.of(box.at("a")));

    Kind replay = failure(() -> box.store.complete(upload));

    assertThat(replay).isIn(null, Kind.ABSENT, Kind.UNKNOWN);
    assertThat(box.has("a")).isFalse();
    assertThat(box.names()).isEmpty();
  }

  @Test
  default void aReplayedCompleteDoesNotUndoALaterWrite() throws IOException {
    Sandbox box = sandbox();
    PendingUpload upload = box.upload("a", "rows");
    box.store.complete(upload);
    box.put("a", "later");

    Kind replay = failure(() -> box.store.complete(upload));

    assertThat(replay).isIn(null, Kind.ABSENT, Kind.UNKNOWN);
    assertThat(box.text("a")).isEqualTo("later");
  }

  @Test
  default void anAbortedUploadCannotBeCompleted() throws IOException {
    Sandbox box = sandbox();
    PendingUpload upload = box.upload("a", "rows");

    box.store.abort(box.at("a"), upload.uploadId());

    assertThat(failure(() -> box.store.complete(upload))).isEqualTo(box.gone());
    assertThat(box.has("a")).isFalse();
  }

  @Test
  default void anUnknownUploadCannotBeCompleted() throws IOException {
    Sandbox box = sandbox();
    PendingUpload real = box.upload("b", "rows");
    // Of the same form, for servers that check it.
    String id = real.uploadId();
    String unknown = id.substring(0, id.length() - 1) + (id.endsWith("a") ? "b" : "a");
    PendingUpload upload = new PendingUpload(box.at("b"), unknown, 4, real.etags());

    assertThat(failure(() -> box.store.complete(upload))).isEqualTo(box.gone());
    assertThat(box.names()).isEmpty();
    box.store.abort(box.at("b"), unknown);
    box.store.complete(real);
    assertThat(box.names()).containsExactly("b");
  }

  @Test
  default void noPartIsTakenForAnUploadThatHasEnded() throws IOException {
    Sandbox box = sandbox();
    PendingUpload aborted = box.upload("a", "rows");
    PendingUpload completed = box.upload("b", "rows");
    box.store.abort(box.at("a"), aborted.uploadId());
    box.store.complete(completed);

    for (PendingUpload ended : List.of(aborted, completed)) {
      assertThat(
              failure(() -> box.store.uploadPart(ended.at(), ended.uploadId(), 1, bytes("late"))))
          .isEqualTo(box.gone());
    }
    assertThat(box.text("b")).isEqualTo("rows");
  }

  @Test
  default void anUploadIdIsGoodForItsOwnKeyOnly() throws IOException {
    Sandbox box = sandbox();
    box.assumes(Capability.UPLOADS_OF_ONE_KEY);
    PendingUpload upload = box.upload("a", "rows");
    PendingUpload other = new PendingUpload(box.at("b"), upload.uploadId(), 4, upload.etags());

    assertThat(failure(() -> box.store.complete(other))).isEqualTo(box.gone());
    box.store.abort(box.at("b"), upload.uploadId());
    assertThat(box.names()).isEmpty();
    box.store.complete(upload);

    assertThat(box.names()).containsExactly("a");
  }

  @Test
  default void twoUploadsOfOneKeyAreApart() throws IOException {
    Sandbox box = sandbox();
    PendingUpload first = box.upload("a", "first");
    PendingUpload second = box.upload("a", "second");
    PendingUpload third = box.upload("a", "third");

    assertThat(first.uploadId()).isNotEqualTo(second.uploadId());
    box.store.complete(first);
    assertThat(box.text("a")).isEqualTo("first");
    box.store.abort(box.at("a"), second.uploadId());
    assertThat(box.text("a")).isEqualTo("first");
    box.store.complete(third);

    assertThat(box.text("a")).isEqualTo("third");
    assertThat(failure(() -> box.store.complete(second))).isEqualTo(box.gone());
  }

  @Test
  default void anAbortMayBeRepeated() throws IOException {
    Sandbox box = sandbox();
    PendingUpload upload = box.upload("a", "rows");

    for (int i = 0; i < 3; i++) {
      box.store.abort(box.at("a"), upload.uploadId());
    }

    assertThat(box.names()).isEmpty();
  }

  @Test
  default void anAbortAfterTheCompleteLeavesTheObject() throws IOException {
    Sandbox box = sandbox();
    PendingUpload upload = box.upload("a", "rows");
    box.store.complete(upload);

    box.store.abort(box.at("a"), upload.uploadId());

    assertThat(box.text("a")).isEqualTo("rows");
  }

  @Test
  default void anAbortLeavesTheObjectThatWasThere() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "old");

    box.store.abort(box.at("a"), box.upload("a", "new").uploadId());

    assertThat(box.text("a")).isEqualTo("old");
  }

  @Test
  default void racingCompletesOfOneUploadMakeOneObject() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    box.assumes(Capability.RACING_COMPLETES);

    for (int round = 0; round < 3; round++) {
      PendingUpload upload = box.upload("a" + round, "rows");
      Queue<String> answers = new ConcurrentLinkedQueue<>();
      Sandbox.race(8, number -> answers.add("" + failure(() -> box.store.complete(upload))));
      assertThat(answers)
          .contains("null")
          .allMatch(answer -> List.of("null", "ABSENT", "UNKNOWN").contains(answer));
      assertThat(box.text("a" + round)).isEqualTo("rows");
    }
  }

  @Test
  default void manyUploadsAreCompletedAtOnce() throws IOException, InterruptedException {
    Sandbox box = sandbox();
    Queue<PendingUpload> uploads = new ConcurrentLinkedQueue<>();

    Sandbox.race(16, number -> uploads.add(box.upload("part-" + number, "rows " + number)));
    new ThreadedRunner(16).each(uploads.iterator(), box.store::complete);

    assertThat(box.names()).hasSize(16);
    for (int i = 0; i < 16; i++) {
      assertThat(box.text("part-" + i)).isEqualTo("rows " + i);
    }
  }

  /** An upload of {@code a} in the least parts allowed, sent in the order of {@code numbers}. */
  private static PendingUpload upload(Sandbox box, byte[] content, List<Integer> numbers)
      throws StoreException {
    Location at = box.at("a");
    int partBytes = box.partBytes();
    String uploadId = box.store.createUpload(at);
    List<String> etags = new ArrayList<>(Collections.nCopies(numbers.size(), ""));
    for (int number : numbers) {
      int from = (number - 1) * partBytes;
      int length = Math.min(partBytes, content.length - from);
      ByteBuffer part = ByteBuffer.wrap(content, from, length);
      etags.set(number - 1, box.store.uploadPart(at, uploadId, number, part));
    }
    return new PendingUpload(at, uploadId, content.length, etags);
  }

  private static byte[] content(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return content;
  }
}
