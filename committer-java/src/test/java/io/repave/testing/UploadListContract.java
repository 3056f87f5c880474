package io.repave.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.PendingUpload;
import io.repave.testing.StoreUnderTest.Capability;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The listing of open uploads, with which vacuum finds the uploads of dead jobs. */
interface UploadListContract extends StoreContract {
  private Sandbox box() {
    Sandbox box = sandbox();
    box.assumes(Capability.UPLOAD_PAGES);
    return box;
  }

  @Test
  default void onlyOpenUploadsAreListed() throws IOException {
    Sandbox box = box();
    PendingUpload open = box.upload("open", "rows");
    String bare = box.store.createUpload(box.at("without parts"));
    PendingUpload completed = box.upload("completed", "rows");
    PendingUpload aborted = box.upload("aborted", "rows");
    box.store.complete(completed);
    box.store.abort(aborted.at(), aborted.uploadId());

    assertThat(box.uploads(box.folder))
        .extracting(OpenUpload::key, OpenUpload::uploadId)
        .containsExactlyInAnyOrder(
            tuple(open.at().key(), open.uploadId()), tuple(box.at("without parts").key(), bare));
    box.store.abort(open.at(), open.uploadId());
    box.store.abort(box.at("without parts"), bare);
    assertThat(box.uploads(box.folder)).isEmpty();
  }

  @Test
  default void anObjectIsNotAnOpenUpload() throws IOException {
    Sandbox box = box();
    box.put("a", "x");

    assertThat(box.uploads(box.folder)).isEmpty();
  }

  /** Another committer aborted the uploads of dt=10 when it cleaned up dt=1. */
  @Test
  default void aFolderDoesNotHoldTheUploadsOfItsNamesakes() throws IOException {
    Sandbox box = box();
    List<PendingUpload> uploads =
        List.of(
            box.upload("dt=1/a", "x"),
            box.upload("dt=1/b/c", "x"),
            box.upload("dt=10/a", "x"),
            box.upload("dt=1-old/a", "x"),
            box.upload("dt=1", "x"));

    assertThat(box.uploads(box.at("dt=1")))
        .extracting(OpenUpload::key)
        .containsExactlyInAnyOrder(box.at("dt=1/a").key(), box.at("dt=1/b/c").key());
    assertThat(box.uploads(box.at("dt="))).isEmpty();
    for (PendingUpload upload : uploads) {
      box.store.abort(upload.at(), upload.uploadId());
    }
  }

  @Test
  default void theUploadsOfAKeyAreListed() throws IOException {
    Sandbox box = box();
    List<PendingUpload> own = List.of(box.upload("dt=1/a", "x"), box.upload("dt=1/a", "y"));
    List<PendingUpload> others =
        List.of(box.upload("dt=1/ab", "x"), box.upload("dt=1/a/b", "x"), box.upload("dt=1", "x"));

    assertThat(box.uploadsOf(box.at("dt=1/a")))
        .extracting(OpenUpload::uploadId)
        .containsExactlyInAnyOrderElementsOf(own.stream().map(PendingUpload::uploadId).toList());
    assertThat(box.uploadsOf(box.at("dt"))).isEmpty();
    for (PendingUpload upload : Stream.of(own, others).flatMap(List::stream).toList()) {
      box.store.abort(upload.at(), upload.uploadId());
    }
    assertThat(box.uploadsOf(box.at("dt=1/a"))).isEmpty();
  }

  @Test
  default void uploadsOfKeysOfAnyCharactersAreListed() throws IOException {
    Sandbox box = box();
    box.assumes(Capability.ANY_CHARACTERS);
    List<String> names = List.of("a b", "a+b", "a%20b", "a&b<c>", "é日\uD83D\uDE00", "x=\"1\"");
    for (String name : names) {
      box.store.createUpload(box.at(name));
    }

    List<OpenUpload> listed = box.uploads(box.folder);

    assertThat(listed)
        .extracting(OpenUpload::key)
        .containsExactlyInAnyOrderElementsOf(names.stream().map(n -> box.at(n).key()).toList());
    for (OpenUpload upload : listed) {
      box.store.abort(new Location(box.folder.bucket(), upload.key()), upload.uploadId());
    }
    assertThat(box.uploads(box.folder)).isEmpty();
  }

  /** Several of one key, so that a page may end between two of them. */
  @Test
  default void everyOpenUploadIsListedOnceOverThePages() throws IOException, InterruptedException {
    Sandbox box = box();
    Queue<OpenUpload> created = new ConcurrentLinkedQueue<>();
    new ThreadedRunner(16)
        .each(
            IntStream.range(0, 1001).iterator(),
            i -> {
              Location at = box.at("part-" + i % 143);
              created.add(new OpenUpload(at.key(), box.store.createUpload(at), 0));
            });

    List<OpenUpload> listed = box.uploads(box.folder);

    assertThat(listed)
        .extracting(OpenUpload::uploadId)
        .containsExactlyInAnyOrderElementsOf(created.stream().map(OpenUpload::uploadId).toList());
    new ThreadedRunner(16)
        .each(
            listed.iterator(),
            each ->
                box.store.abort(new Location(box.folder.bucket(), each.key()), each.uploadId()));
    assertThat(box.uploads(box.folder)).isEmpty();
  }

  @Test
  default void theUploadsOfABucketAreThoseOfItsRoot() throws IOException {
    Sandbox box = box();
    PendingUpload upload = box.upload("a", "x");

    assertThat(box.uploads(new Location(box.folder.bucket(), "")))
        .extracting(OpenUpload::uploadId)
        .contains(upload.uploadId());
    box.store.abort(upload.at(), upload.uploadId());
  }

  /**
   * Vacuum decides by age. In a store that dates every upload long ago it would abort live ones.
   */
  @Test
  default void anOpenUploadIsDatedAtItsStart() throws IOException {
    Sandbox box = box();
    box.assumes(Capability.UPLOAD_DATES);
    PendingUpload upload = box.upload("a", "x");

    long initiated = box.uploads(box.folder).get(0).initiatedMillis();

    assertThat(Math.abs(initiated - box.under.clock().wallMillis()))
        .isLessThan(TimeUnit.MINUTES.toMillis(5));
    box.store.abort(upload.at(), upload.uploadId());
  }
}
