package io.repave.testing;

import static io.repave.testing.Sandbox.bytes;
import static io.repave.testing.Sandbox.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.StoredObject;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Conditional writes, which decide between two writers. */
interface ConditionContract extends StoreContract {
  private Sandbox box() {
    Sandbox box = sandbox();
    box.assumes(Capability.CONDITIONAL_WRITES);
    return box;
  }

  @Test
  default void aCreateWritesAnAbsentKey() throws IOException {
    Sandbox box = box();

    String etag = box.store.putIfAbsent(box.at("a"), bytes("x"));

    assertThat(box.text("a")).isEqualTo("x");
    assertThat(box.store.head(box.at("a")).orElseThrow().etag()).isEqualTo(etag);
  }

  @Test
  default void aConditionalWriteLeavesTheCallersBufferAsItWas() throws IOException {
    Sandbox box = box();
    ByteBuffer content = bytes("..rest..").position(2).limit(6);

    String etag = box.store.putIfAbsent(box.at("a"), content);
    box.store.putIfMatch(box.at("a"), content, etag);
    failure(() -> box.store.putIfAbsent(box.at("a"), content));

    assertThat(content.position()).isEqualTo(2);
    assertThat(content.limit()).isEqualTo(6);
    assertThat(box.text("a")).isEqualTo("rest");
  }

  @Test
  default void aCreateIsRefusedWhereAnObjectIs() throws IOException {
    Sandbox box = box();
    box.put("a", "old");

    assertThat(failure(() -> box.store.putIfAbsent(box.at("a"), bytes("new"))))
        .isEqualTo(Kind.REFUSED);
    assertThat(box.text("a")).isEqualTo("old");
  }

  @Test
  default void aCreateIsRefusedEvenForTheSameContent() throws IOException {
    Sandbox box = box();
    box.store.putIfAbsent(box.at("a"), bytes("x"));

    assertThat(failure(() -> box.store.putIfAbsent(box.at("a"), bytes("x"))))
        .isEqualTo(Kind.REFUSED);
  }

  @Test
  default void aDeletedKeyCanBeCreatedAgain() throws IOException {
    Sandbox box = box();
    box.store.putIfAbsent(box.at("a"), bytes("old"));
    box.store.delete(List.of(box.at("a")));

    box.store.putIfAbsent(box.at("a"), bytes("new"));

    assertThat(box.text("a")).isEqualTo("new");
  }

  @Test
  default void anOpenUploadDoesNotStandInTheWayOfACreate() throws IOException {
    Sandbox box = box();
    String uploadId = box.upload("a", "uploaded").uploadId();

    box.store.putIfAbsent(box.at("a"), bytes("created"));

    assertThat(box.text("a")).isEqualTo("created");
    box.store.abort(box.at("a"), uploadId);
  }

  @Test
  default void aCompletedUploadStandsInTheWayOfACreateAndHasATag() throws IOException {
    Sandbox box = box();
    box.store.complete(box.upload("a", "uploaded"));

    assertThat(failure(() -> box.store.putIfAbsent(box.at("a"), bytes("x"))))
        .isEqualTo(Kind.REFUSED);
    String etag = box.store.head(box.at("a")).orElseThrow().etag();
    box.store.putIfMatch(box.at("a"), bytes("swapped"), etag);

    assertThat(box.text("a")).isEqualTo("swapped");
  }

  @Test
  default void aSwapWritesOverTheTagThatIsThere() throws IOException {
    Sandbox box = box();
    String first = box.put("a", "1");

    String second = box.store.putIfMatch(box.at("a"), bytes("2"), first);
    String third = box.store.putIfMatch(box.at("a"), bytes("3"), second);

    assertThat(box.text("a")).isEqualTo("3");
    assertThat(third).isNotEqualTo(second);
    assertThat(second).isNotEqualTo(first);
  }

  @Test
  default void aSwapTakesTheTagOfAReadAHeadOrAListing() throws IOException {
    Sandbox box = box();
    box.put("a", "1");

    String read = box.store.read(box.at("a"), 10).orElseThrow().etag();
    box.store.putIfMatch(box.at("a"), bytes("2"), read);
    String head = box.store.head(box.at("a")).orElseThrow().etag();
    box.store.putIfMatch(box.at("a"), bytes("3"), head);
    String listed = box.list(box.folder).get(0).etag();
    box.store.putIfMatch(box.at("a"), bytes("4"), listed);

    assertThat(box.text("a")).isEqualTo("4");
  }

  @Test
  default void aSwapOverAStaleTagIsRefused() throws IOException {
    Sandbox box = box();
    String stale = box.put("a", "1");
    box.put("a", "2");

    assertThat(failure(() -> box.store.putIfMatch(box.at("a"), bytes("3"), stale)))
        .isEqualTo(Kind.REFUSED);
    assertThat(box.text("a")).isEqualTo("2");
  }

  @Test
  default void aSwapOfAnAbsentKeyIsRefusedAndCreatesNothing() throws IOException {
    Sandbox box = box();
    String etag = box.put("a", "1");
    box.store.delete(List.of(box.at("a")));

    assertThat(failure(() -> box.store.putIfMatch(box.at("a"), bytes("2"), etag)))
        .isEqualTo(Kind.REFUSED);
    assertThat(failure(() -> box.store.putIfMatch(box.at("b"), bytes("2"), etag)))
        .isEqualTo(Kind.REFUSED);
    assertThat(box.names()).isEmpty();
  }

  @Test
  default void ofRacingCreatesExactlyOneWins() throws IOException, InterruptedException {
    Sandbox box = box();
    box.assumes(Capability.ATOMIC_CONDITIONS);

    for (int round = 0; round < 5; round++) {
      String name = "round-" + round;
      Queue<String> winners = new ConcurrentLinkedQueue<>();
      Sandbox.race(
          16,
          number -> {
            String content = "writer " + number;
            if (!refused(() -> box.store.putIfAbsent(box.at(name), bytes(content)))) {
              winners.add(content);
            }
          });
      assertThat(winners).as(name).containsExactly(box.text(name));
    }
  }

  @Test
  default void ofRacingSwapsExactlyOneWins() throws IOException, InterruptedException {
    Sandbox box = box();
    box.assumes(Capability.ATOMIC_CONDITIONS);
    box.put("a", "start");

    for (int round = 0; round < 5; round++) {
      String etag = box.store.head(box.at("a")).orElseThrow().etag();
      String prefix = "round " + round + " writer ";
      Queue<String> winners = new ConcurrentLinkedQueue<>();
      Sandbox.race(
          16,
          number -> {
            String content = prefix + number;
            if (!refused(() -> box.store.putIfMatch(box.at("a"), bytes(content), etag))) {
              winners.add(content);
            }
          });
      assertThat(winners).containsExactly(box.text("a"));
    }
  }

  @Test
  default void noIncrementIsLostThatIsASwap() throws IOException, InterruptedException {
    Sandbox box = box();
    box.assumes(Capability.ATOMIC_CONDITIONS);
    box.put("a", "0");

    Sandbox.race(
        8,
        number -> {
          for (int done = 0; done < 5; ) {
            StoredObject now = box.store.read(box.at("a"), 10).orElseThrow();
            int next = Integer.parseInt(new String(now.content())) + 1;
            if (!refused(() -> box.store.putIfMatch(box.at("a"), bytes("" + next), now.etag()))) {
              done++;
            }
          }
        });

    assertThat(box.text("a")).isEqualTo("40");
  }

  private static boolean refused(Write write) throws StoreException {
    try {
      write.send();
      return false;
    } catch (StoreException failed) {
      if (failed.kind() != Kind.REFUSED) {
        throw failed;
      }
      return true;
    }
  }

  /** A conditional write. */
  @FunctionalInterface
  interface Write {
    String send() throws StoreException;
  }
}
