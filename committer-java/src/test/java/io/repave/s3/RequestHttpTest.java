package io.repave.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.hadoop.runtime.BoundedParallelRunner;
import io.repave.testing.EmbeddedS3;
import io.repave.testing.LabProxy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests of each call, from the proxy's journal, and the effect of faults. */
@Tag("http")
class RequestHttpTest {
  private static EmbeddedS3 server;
  private static LabProxy proxy;
  private static FileSystem files;
  private static ObjectStore store;
  private static int folders;

  private Location at;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3.start("ministack");
    server.createBucket("lake");
    proxy = LabProxy.before(server);
    Configuration conf = server.configuration(proxy.endpoint());
    conf.setInt("fs.s3a.attempts.maximum", 0);
    files = EmbeddedS3.files("lake", conf);
    store = S3Stores.open(bucket -> files);
  }

  @AfterAll
  static void stop() throws IOException {
    files.close();
    proxy.close();
    server.close();
  }

  @BeforeEach
  void beginJournal() throws IOException {
    at = new Location("lake", "t" + folders++ + "/dt=1/part-0");
    proxy.reset();
  }

  private static ByteBuffer content() {
    return ByteBuffer.wrap("rows".getBytes());
  }

  private void assertSent(ThrowingCallable call, String... operations) throws Throwable {
    proxy.reset();
    call.call();
    assertThat(proxy.operations()).containsExactly(operations);
  }

  @Test
  void everyCallIsOneRequest() throws Throwable {
    List<String> got = new ArrayList<>();
    assertSent(() -> got.add(store.createUpload(at)), "CreateMultipartUpload");
    String id = got.get(0);
    assertSent(() -> got.add(store.uploadPart(at, id, 1, content())), "UploadPart");
    Location folder = new Location("lake", at.key().substring(0, at.key().indexOf('/')));
    assertSent(() -> store.listUploads(folder, ""), "ListMultipartUploads");
    PendingUpload upload = new PendingUpload(at, id, 4, List.of(got.get(1)));
    assertSent(() -> store.complete(upload), "CompleteMultipartUpload");
    assertSent(() -> store.head(at), "HeadObject");
    assertSent(() -> store.head(folder.resolve("absent")), "HeadObject");
    assertSent(() -> store.read(at, 10), "GetObject");
    assertSent(() -> store.read(folder.resolve("absent"), 10), "GetObject");
    assertSent(() -> store.list(folder, ""), "ListObjectsV2");
    assertSent(() -> store.list(new Location("lake", "nothing"), ""), "ListObjectsV2");
    Location deep = folder.resolve("new/folder/file");
    assertSent(() -> got.add(store.put(deep, content())), "PutObject");
    assertSent(() -> store.putIfAbsent(folder.resolve("other/file"), content()), "PutObject");
    assertSent(() -> store.putIfMatch(deep, content(), got.get(2)), "PutObject");
    assertSent(() -> store.delete(List.of(at, deep)), "DeleteObjects");
    assertSent(() -> got.add(store.createUpload(at)), "CreateMultipartUpload");
    assertSent(() -> store.abort(at, got.get(3)), "AbortMultipartUpload");
  }

  @Test
  void openingAndClosingTheStoreSendsNothing() throws Throwable {
    Configuration conf = server.configuration(proxy.endpoint());
    assertSent(
        () -> {
          try (FileSystem other = EmbeddedS3.files("lake", conf)) {
            S3Stores.open(bucket -> other);
          }
        });
  }

  @Test
  void aListingThatGoesOnIsOneRequest() throws Throwable {
    Location folder = new Location("lake", at.key());
    for (int i = 0; i < 5; i++) {
      store.put(folder.resolve("" + i), content());
    }
    proxy.reset();

    assertThat(store.list(folder, folder.resolve("2").key()).objects()).hasSize(2);

    assertThat(proxy.operations()).containsExactly("ListObjectsV2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"error", "error_after", "lost", "reset", "ok_error", "truncate"})
  void whatAFaultLeavesOpenIsUnknown(String fault) throws IOException {
    String id = store.createUpload(at);
    String etag = store.uploadPart(at, id, 1, content());
    PendingUpload upload = new PendingUpload(at, id, 4, List.of(etag));
    proxy.faults("[{\"do\": \"" + fault + "\", \"op\": \"CompleteMultipartUpload\"}]");

    StoreException failure =
        catchThrowableOfType(StoreException.class, () -> store.complete(upload));

    assertThat(failure.kind()).isEqualTo(Kind.UNKNOWN);
    proxy.faults("[]");
    boolean isApplied = List.of("error_after", "lost", "truncate").contains(fault);
    assertThat(store.head(at).isPresent()).isEqualTo(isApplied);
  }

  @Test
  void aRetryInsideTheSdkMeetsItsOwnFirstTry() throws IOException {
    Configuration conf = server.configuration(proxy.endpoint());
    try (FileSystem retrying = EmbeddedS3.files("lake", conf)) {
      ObjectStore other = S3Stores.open(bucket -> retrying);
      proxy.faults("[{\"do\": \"lost\", \"op\": \"PutObject\", \"times\": 1}]");

      StoreException failure =
          catchThrowableOfType(StoreException.class, () -> other.putIfAbsent(at, content()));

      // Refused, although it was written: so the core reads back before it trusts a refusal.
      assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
      assertThat(other.read(at, 10)).isPresent();
      assertThat(proxy.operations()).containsExactly("PutObject", "PutObject", "GetObject");
    }
  }

  @Test
  void aRaceTriedOutOnARealServerFindsNothingMissing() throws Exception {
    Capabilities seen =
        new CapabilityProbe(
                store,
                new Location("lake", "t/_repave"),
                new BoundedParallelRunner("probe", CapabilityProbe.RACERS))
            .run();

    assertThat(seen.missing()).isEmpty();
    assertThat(proxy.operations()).hasSize(20);
  }
}
