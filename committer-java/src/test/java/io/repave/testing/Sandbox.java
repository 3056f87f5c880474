package io.repave.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The folder of one test in the store under test, and short names for what tests do there. */
public final class Sandbox {
  private static final int MIB = 1 << 20;

  /** The work of one of several threads, with the number of the thread. */
  @FunctionalInterface
  interface Work {
    void run(int number) throws IOException, InterruptedException;
  }

  final StoreUnderTest under;
  final ObjectStore store;
  final Location folder;

  Sandbox(StoreUnderTest under) {
    this.under = under;
    this.store = under.store();
    this.folder = under.folders().get();
  }

  void assumes(StoreUnderTest.Capability capability) {
    assumeTrue(under.can(capability), () -> "this store is not known for " + capability);
  }

  Location at(String name) {
    return folder.resolve(name);
  }

  /** The same key in the other bucket. */
  Location elsewhere(String name) {
    return new Location(folder.bucket() + "-other", at(name).key());
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  String put(String name, String text) throws StoreException {
    return store.put(at(name), bytes(text));
  }

  /** Writes many small objects in parallel. */
  void putAll(List<String> names) throws IOException, InterruptedException {
    new ThreadedRunner(16).each(names.iterator(), name -> put(name, "x"));
  }

  boolean has(String name) throws StoreException {
    return store.head(at(name)).isPresent();
  }

  String text(String name) throws StoreException {
    return new String(store.read(at(name), 32L * MIB).orElseThrow().content(), UTF_8);
  }

  /** Everything in a folder, page by page. */
  List<ListedObject> list(Location from) throws StoreException {
    List<ListedObject> found = new ArrayList<>();
    String after = "";
    boolean more = true;
    for (int pages = 0; more; pages++) {
      assertThat(pages).as("pages of a listing that does not end").isLessThan(100_000);
      ListPage page = store.list(from, after);
      found.addAll(page.objects());
      after = page.last();
      more = page.more();
    }
    return found;
  }

  List<String> names() throws StoreException {
    return names(folder);
  }

  /** The names of what is in a folder, relative to this sandbox. */
  List<String> names(Location from) throws StoreException {
    return list(from).stream()
        .map(each -> each.key().substring(folder.key().length() + 1))
        .toList();
  }

  /** One request for a page of open uploads. */
  private interface Listing {
    UploadPage from(String next) throws StoreException;
  }

  List<OpenUpload> uploads(Location from) throws StoreException {
    return uploads(next -> store.listUploads(from, next));
  }

  List<OpenUpload> uploadsOf(Location at) throws StoreException {
    return uploads(next -> store.listUploadsOf(at, next));
  }

  private static List<OpenUpload> uploads(Listing listing) throws StoreException {
    List<OpenUpload> found = new ArrayList<>();
    String next = "";
    do {
      UploadPage page = listing.from(next);
      found.addAll(page.uploads());
      next = page.next();
    } while (!next.isEmpty());
    return found;
  }

  /** An upload of one part, not completed. */
  PendingUpload upload(String name, String text) throws StoreException {
    Location at = at(name);
    String uploadId = store.createUpload(at);
    String etag = store.uploadPart(at, uploadId, 1, bytes(text));
    long length = text.getBytes(UTF_8).length;
    return new PendingUpload(at, uploadId, length, List.of(etag));
  }

  /** The least size of a part that is not the last. */
  int partBytes() {
    return under.can(StoreUnderTest.Capability.SMALL_PARTS) ? 8 : 5 * MIB;
  }

  /** Deletes any number of keys, in pages. */
  void delete(List<String> names) throws IOException, InterruptedException {
    List<List<Location>> pages = new ArrayList<>();
    for (int from = 0; from < names.size(); from += ObjectStore.DELETE_PAGE) {
      int to = Math.min(names.size(), from + ObjectStore.DELETE_PAGE);
      pages.add(names.subList(from, to).stream().map(this::at).toList());
    }
    new ThreadedRunner(4).each(pages.iterator(), page -> assertThat(store.delete(page)).isEmpty());
  }

  /** The kind of failure of a call; null when it succeeded. */
  static StoreException.Kind failure(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    if (thrown == null) {
      return null;
    }
    assertThat(thrown).isInstanceOf(StoreException.class).message().isNotBlank();
    return ((StoreException) thrown).kind();
  }

  /** The kind of failure of a call on an upload that does not exist. */
  StoreException.Kind gone() {
    return under.replay() == Dialect.Replay.UNKNOWN
        ? StoreException.Kind.UNKNOWN
        : StoreException.Kind.ABSENT;
  }

  /** Runs the work in several threads that all start at the same moment. */
  static void race(int threads, Work work) throws IOException, InterruptedException {
    CyclicBarrier start = new CyclicBarrier(threads);
    new ThreadedRunner(threads)
        .each(
            IntStream.range(0, threads).iterator(),
            number -> {
              try {
                start.await();
              } catch (BrokenBarrierException broken) {
                throw new IllegalStateException(broken);
              }
              work.run(number);
            });
  }
}
