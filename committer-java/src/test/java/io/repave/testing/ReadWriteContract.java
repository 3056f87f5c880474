package io.repave.testing;

import static io.repave.testing.Sandbox.bytes;
import static io.repave.testing.Sandbox.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Objects are written whole, read whole, and visible to every process at once. */
interface ReadWriteContract extends StoreContract {
  @Test
  default void anObjectReadsBackAsItWasWritten() throws IOException {
    Sandbox box = sandbox();
    byte[] content = new byte[256];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) i;
    }

    box.store.put(box.at("a"), ByteBuffer.wrap(content));

    assertThat(box.store.read(box.at("a"), 256).orElseThrow().content()).isEqualTo(content);
  }

  @Test
  default void aLargeObjectReadsBackAsItWasWritten() throws IOException {
    Sandbox box = sandbox();
    byte[] content = new byte[3_000_000];
    new Random(1).nextBytes(content);

    box.store.put(box.at("a"), ByteBuffer.wrap(content));

    assertThat(box.store.read(box.at("a"), content.length).orElseThrow().content())
        .isEqualTo(content);
  }

  @Test
  default void anEmptyObjectIsAnObject() throws IOException {
    Sandbox box = sandbox();

    box.put("a", "");

    assertThat(box.store.head(box.at("a")).orElseThrow().bytes()).isZero();
    assertThat(box.text("a")).isEmpty();
    assertThat(box.names()).containsExactly("a");
  }

  @Test
  default void anAbsentKeyIsEmptyNotAnError() throws IOException {
    Sandbox box = sandbox();

    assertThat(box.store.read(box.at("a"), 10)).isEmpty();
    assertThat(box.store.head(box.at("a"))).isEmpty();
  }

  @Test
  default void aFolderIsNotAnObject() throws IOException {
    Sandbox box = sandbox();

    box.put("a/b", "x");

    assertThat(box.has("a")).isFalse();
    assertThat(box.store.read(box.at("a"), 10)).isEmpty();
  }

  @Test
  default void aWriteReplacesWhatIsThere() throws IOException {
    Sandbox box = sandbox();

    box.put("a", "a longer first content");
    box.put("a", "second");

    assertThat(box.text("a")).isEqualTo("second");
    assertThat(box.names()).containsExactly("a");
  }

  @Test
  default void writeReadHeadAndListTellTheSameTag() throws IOException {
    Sandbox box = sandbox();

    String written = box.put("a", "x");

    assertThat(written).isNotEmpty().doesNotContain("\"");
    assertThat(box.store.read(box.at("a"), 10).map(StoredObject::etag)).contains(written);
    assertThat(box.store.head(box.at("a")).map(ListedObject::etag)).contains(written);
    assertThat(box.list(box.folder)).extracting(ListedObject::etag).containsExactly(written);
  }

  @Test
  default void otherContentHasAnotherTag() throws IOException {
    Sandbox box = sandbox();

    assertThat(box.put("a", "first")).isNotEqualTo(box.put("a", "other"));
  }

  @Test
  default void headAndListTellTheSameKeySizeAndDate() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "12345");

    ListedObject head = box.store.head(box.at("a")).orElseThrow();
    ListedObject listed = box.list(box.folder).get(0);

    assertThat(head.key()).isEqualTo(box.at("a").key()).isEqualTo(listed.key());
    assertThat(head.bytes()).isEqualTo(5).isEqualTo(listed.bytes());
    // A HEAD reports whole seconds.
    assertThat(head.modifiedMillis() / 1000).isEqualTo(listed.modifiedMillis() / 1000);
    assertThat(Math.abs(head.modifiedMillis() - box.under.clock().wallMillis()))
        .isLessThan(TimeUnit.MINUTES.toMillis(5));
  }

  @Test
  default void anObjectOfJustTheAllowedSizeIsRead() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "12345");

    assertThat(box.store.read(box.at("a"), 5)).isPresent();
  }

  @Test
  default void anObjectOverTheAllowedSizeIsInvalid() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "12345");

    assertThat(failure(() -> box.store.read(box.at("a"), 4))).isEqualTo(Kind.INVALID);
    assertThat(failure(() -> box.store.read(box.at("a"), 0))).isEqualTo(Kind.INVALID);
  }

  @Test
  default void aRangeOfAnObjectIsRead() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "0123456789");

    assertThat(box.store.readRange(box.at("a"), 0, 10)).contains("0123456789".getBytes());
    assertThat(box.store.readRange(box.at("a"), 7, 3)).contains("789".getBytes());
    assertThat(box.store.readRange(box.at("a"), 2, 1)).contains("2".getBytes());
    assertThat(box.store.readRange(box.at("b"), 0, 1)).isEmpty();
  }

  @Test
  default void aRangeThatAnObjectDoesNotHaveIsInvalid() throws IOException {
    Sandbox box = sandbox();
    box.put("a", "0123456789");

    assertThat(failure(() -> box.store.readRange(box.at("a"), 8, 3))).isEqualTo(Kind.INVALID);
    assertThat(failure(() -> box.store.readRange(box.at("a"), 10, 1))).isEqualTo(Kind.INVALID);
  }

  @Test
  default void onlyTheRestOfABufferIsWritten() throws IOException {
    Sandbox box = sandbox();
    ByteBuffer whole = bytes("..rest..").position(2).limit(6);
    ByteBuffer direct = ByteBuffer.allocateDirect(8).put(bytes("..rest..")).position(2).limit(6);

    box.store.put(box.at("heap"), whole);
    box.store.put(box.at("slice"), whole.slice());
    box.store.put(box.at("readOnly"), whole.asReadOnlyBuffer());
    box.store.put(box.at("direct"), direct);

    for (String name : List.of("heap", "slice", "readOnly", "direct")) {
      assertThat(box.text(name)).as(name).isEqualTo("rest");
    }
  }

  /** So that the caller can send it again. */
  @Test
  default void aWriteLeavesTheCallersBufferAsItWas() throws IOException {
    Sandbox box = sandbox();
    ByteBuffer content = bytes("..rest..").position(2).limit(6);
    String uploadId = box.store.createUpload(box.at("b"));

    box.store.put(box.at("a"), content);
    box.store.uploadPart(box.at("b"), uploadId, 1, content);

    assertThat(content.position()).isEqualTo(2);
    assertThat(content.limit()).isEqualTo(6);
    box.store.abort(box.at("b"), uploadId);
  }

  @Test
  default void everyWriteIsSeenByTheNextRead() throws IOException {
    Sandbox box = sandbox();

    for (int i = 0; i < 30; i++) {
      box.put("a", "content " + i);
      assertThat(box.text("a")).isEqualTo("content " + i);
      assertThat(box.store.delete(List.of(box.at("a")))).isEmpty();
      assertThat(box.has("a")).isFalse();
    }
  }

  @Test
  default void threadsDoNotDisturbEachOther() throws IOException, InterruptedException {
    Sandbox box = sandbox();

    Sandbox.race(
        16,
        number -> {
          for (int i = 0; i < 10; i++) {
            String name = "thread-" + number + "/" + i;
            box.put(name, name);
            assertThat(box.text(name)).isEqualTo(name);
            if (i % 2 == 0) {
              box.store.delete(List.of(box.at(name)));
            }
          }
        });

    assertThat(box.names()).hasSize(16 * 5).allMatch(name -> name.matches(".*/[13579]"));
  }

  @Test
  default void aBucketThatIsNotThereIsAbsentNotEmpty() {
    Sandbox box = sandbox();
    box.assumes(Capability.MISSING_BUCKETS);
    Location nowhere = new Location("no-such-bucket-" + box.folder.bucket(), "a");

    assertThat(failure(() -> box.store.list(nowhere, ""))).isEqualTo(Kind.ABSENT);
    assertThat(failure(() -> box.store.put(nowhere, bytes("x")))).isEqualTo(Kind.ABSENT);
    assertThat(failure(() -> box.store.createUpload(nowhere))).isEqualTo(Kind.ABSENT);
    assertThat(failure(() -> box.store.read(nowhere, 10))).isEqualTo(Kind.ABSENT);
  }
}
