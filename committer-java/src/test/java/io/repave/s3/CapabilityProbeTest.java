package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CountedStore;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.StoreException;
import io.repave.hadoop.runtime.BoundedParallelRunner;
import io.repave.testing.Dialect;
import io.repave.testing.InterceptingStore;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.StubS3;
import io.repave.testing.TinyS3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileSystem;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class CapabilityProbeTest {
  private static final Location RECORDS = new Location("lake", "t/_repave");
  private static final Location HEAD = RECORDS.resolve("head.json");

  private static ParallelRunner racers() {
    return new BoundedParallelRunner("probe", CapabilityProbe.RACERS);
  }

  private static Capabilities probe(ObjectStore store) throws IOException, InterruptedException {
    return new CapabilityProbe(store, RECORDS, racers()).run();
  }

  @Test
  void aStoreLikeAmazonsLacksNothingAndIsAskedTwentyTimes() throws Exception {
    MemoryObjectStore memory = new MemoryObjectStore(Dialect.AWS);
    CountedStore counted = new CountedStore(memory);

    Capabilities seen = probe(counted);

    assertThat(seen.isSafe()).isTrue();
    assertThat(seen.missing()).isEmpty();
    assertThat(counted.counts())
        .isEqualTo(
            Map.of(
                CountedStore.Request.PUT, 15L,
                CountedStore.Request.LIST, 1L,
                CountedStore.Request.CREATE, 1L,
                CountedStore.Request.ABORT, 1L,
                CountedStore.Request.COMPLETE, 1L,
                CountedStore.Request.DELETE, 1L));
    assertThat(memory.objects()).isEmpty();
    assertThat(memory.openUploads()).isEmpty();
  }

  @Test
  void aStoreThatConfusesAbsentUploadsIsSafeAndSaysWhatThatCosts() throws Exception {
    Capabilities seen = probe(new MemoryObjectStore(Dialect.CONFUSED));

    assertThat(seen.isSafe()).isTrue();
    assertThat(seen.failed()).containsOnlyKeys(StoreCheck.ABORTED_UPLOAD_TOLD);
    assertThat(seen.missing())
        .singleElement()
        .asString()
        .contains("does not report that an upload was aborted");
  }

  @Test
  void aStoreThatIgnoresConditionsIsNotSafe() throws Exception {
    Capabilities seen = probe(new MemoryObjectStore(Dialect.AWS.with(Dialect.Conditions.IGNORED)));

    assertThat(seen.isSafe()).isFalse();
    assertThat(seen.failed()).containsOnlyKeys(StoreCheck.CREATE_RACE);
    assertThat(seen.missing()).first().asString().contains("create", "4 of 4 writers succeeded");
  }

  @Test
  void aStoreThatRefusesConditionsIsNotSafe() throws Exception {
    Capabilities seen = probe(new MemoryObjectStore(Dialect.AWS.with(Dialect.Conditions.REJECTED)));

    assertThat(seen.isSafe()).isFalse();
    assertThat(seen.missing()).first().asString().contains("does not support writes");
  }

  /** No race shows this fault: only a write after the race does. */
  @Test
  void aStoreThatLetsALateWriterInIsNotSafe() throws Exception {
    MemoryObjectStore memory = new MemoryObjectStore(Dialect.AWS);
    AtomicInteger swaps = new AtomicInteger();
    ObjectStore careless =
        new InterceptingStore(memory) {
          @Override
          public String putIfMatch(Location at, ByteBuffer content, String etag)
              throws StoreException {
            return swaps.incrementAndGet() > CapabilityProbe.RACERS
                ? memory.put(at, content)
                : super.putIfMatch(at, content, etag);
          }
        };

    Capabilities seen = probe(careless);

    assertThat(seen.failed()).containsOnlyKeys(StoreCheck.SWAP_LATE);
    assertThat(seen.missing()).singleElement().asString().contains("had changed since it was read");
  }

  /** The guard over a server, and the requests of a job before its first task. */
  private static final class Guarded implements AutoCloseable {
    private final StubS3 stub;
    private final FileSystem files;
    private final ObjectStore store;

    Guarded(TinyS3.Conditions conditions) throws IOException {
      this(new TinyS3(conditions));
    }

    Guarded(TinyS3 server) throws IOException {
      stub = new StubS3(server);
      files = stub.files("lake", stub.configuration());
      store = S3Stores.openGuarded(bucket -> files, CapabilityProbeTest::racers);
    }

    StoreException failure(ThrowingCallable call) {
      return org.assertj.core.api.Assertions.catchThrowableOfType(StoreException.class, call);
    }

    @Override
    public void close() throws IOException {
      files.close();
      stub.close();
    }
  }

  @ParameterizedTest
  @EnumSource(value = TinyS3.Conditions.class, mode = Mode.EXCLUDE, names = "KEPT")
  void noJobBeginsInAStoreThatTwoJobsCouldBreak(TinyS3.Conditions conditions) throws IOException {
    try (Guarded guarded = new Guarded(conditions)) {
      StoreException early = guarded.failure(() -> guarded.store.read(HEAD, 10));

      assertThat(early.kind()).isEqualTo(StoreException.Kind.INVALID);
      assertThat(early)
          .hasMessageContaining("does not support atomic conditional writes")
          .hasMessageContaining("repave.single.writer=true");
      assertThat(guarded.failure(() -> guarded.store.putIfAbsent(HEAD, content("1"))))
          .hasMessageContaining("does not support atomic conditional writes");
      assertThat(guarded.stub.requests())
          .noneMatch(it -> it.method().equals("PUT") && it.uri().getPath().endsWith(HEAD.key()));
    }
  }

  @ParameterizedTest
  @EnumSource(value = TinyS3.Listings.class, mode = Mode.EXCLUDE, names = "IN_ORDER")
  void noJobBeginsInAStoreThatDoesNotListInOrder(TinyS3.Listings listings) throws IOException {
    try (Guarded guarded = new Guarded(new TinyS3(TinyS3.Conditions.KEPT, listings))) {
      assertThat(guarded.failure(() -> guarded.store.read(HEAD, 10)))
          .hasMessageContaining(
              "does not list keys correctly, so an overwrite could miss old files")
          .hasMessageContaining("after a given key");
      ObjectStore single =
          S3Stores.openGuardedForSingleWriter(bucket -> guarded.files, CapabilityProbeTest::racers);
      assertThat(guarded.failure(() -> single.read(HEAD, 10)))
          .hasMessageContaining("after a given key");
    }
  }

  /** No path of Repave needs both an object and keys below it. */
  @ParameterizedTest
  @EnumSource(value = TinyS3.KeysBelowObjects.class, mode = Mode.EXCLUDE, names = "KEPT")
  void aStoreWithoutKeysBelowObjectsPasses(TinyS3.KeysBelowObjects below) throws IOException {
    try (Guarded guarded = new Guarded(new TinyS3(TinyS3.Conditions.KEPT, below))) {
      ObjectStore single =
          S3Stores.openGuardedForSingleWriter(bucket -> guarded.files, CapabilityProbeTest::racers);

      assertThat(guarded.store.read(HEAD, 10)).isEmpty();
      assertThat(single.read(HEAD, 10)).isEmpty();
    }
  }

  @Test
  void aSoundStoreIsTriedOnceForItsFirstTableAndNeverForTablesThatAreThere() throws IOException {
    try (Guarded guarded = new Guarded(TinyS3.Conditions.KEPT)) {
      assertThat(guarded.store.read(HEAD, 10)).isEmpty();
      assertThat(guarded.stub.requests()).hasSize(1 + 20);
      guarded.store.putIfAbsent(HEAD, content("1"));
      assertThat(guarded.store.read(HEAD, 10)).isPresent();
      assertThat(guarded.store.read(new Location("lake", "u/_repave/head.json"), 10)).isEmpty();
      assertThat(guarded.stub.requests()).hasSize(1 + 20 + 3);
    }
    try (Guarded guarded = new Guarded(TinyS3.Conditions.IGNORED)) {
      guarded.store.put(HEAD, content("1"));
      assertThat(guarded.store.read(HEAD, 10)).isPresent();
      assertThat(guarded.store.read(HEAD.resolve("x"), 10)).isEmpty();
      assertThat(guarded.stub.requests()).hasSize(3);
    }
  }

  @Test
  void aSingleWriterNeedsNoConditionsOfTheStore() throws IOException {
    try (Guarded guarded = new Guarded(TinyS3.Conditions.NOT_IMPLEMENTED)) {
      ObjectStore single = S3Stores.openForSingleWriter(bucket -> guarded.files);

      String first = single.putIfAbsent(HEAD, content("1"));
      String second = single.putIfMatch(HEAD, content("2"), first);

      assertThat(second).isNotEqualTo(first);
      for (ThrowingCallable stale :
          new ThrowingCallable[] {
            () -> single.putIfAbsent(HEAD, content("3")),
            () -> single.putIfMatch(HEAD, content("3"), first),
            () -> single.putIfMatch(RECORDS.resolve("absent"), content("3"), first)
          }) {
        assertThatThrownBy(stale)
            .isInstanceOfSatisfying(
                StoreException.class,
                e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.REFUSED));
      }
    }
  }

  private static ByteBuffer content(String text) {
    return ByteBuffer.wrap(text.getBytes());
  }
}
