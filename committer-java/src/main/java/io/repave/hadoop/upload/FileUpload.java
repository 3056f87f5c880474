package io.repave.hadoop.upload;

import io.repave.core.engine.Retry;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.Content;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The requests of one file. The first part starts the upload. Every request runs in the pool, so
 * the writer does not wait for it.
 *
 * <p>For a listing table the upload stays open: the commit completes it. For a snapshot table a
 * file of one part is written by one PUT, and a longer one is completed after its last part. No
 * reader sees the file before a manifest names it.
 */
final class FileUpload {
  private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

  private final UploadResources resources;
  private final AttemptState state;
  private final Readers readers;
  private final Location at;
  private final List<CompletableFuture<String>> parts = new ArrayList<>();
  private CompletableFuture<String> created;
  private CompletableFuture<Void> published;
  private long bytes;
  private FileFacts facts = FileFacts.NONE;

  FileUpload(UploadResources resources, AttemptState state, Readers readers, Location at) {
    this.resources = resources;
    this.state = state;
    this.readers = readers;
    this.at = at;
  }

  Location at() {
    return at;
  }

  UploadStream stream() {
    return new UploadStream(resources, state, this);
  }

  /** Sends a full part that is not the last one. */
  synchronized void part(Part part) {
    bytes += part.bytes();
    if (created == null) {
      created = watched(READY.thenApplyAsync(nothing -> create(), resources.pool()));
    }
    int number = parts.size() + 1;
    parts.add(
        releasing(
            part, created.handleAsync((id, failed) -> send(id, number, part), resources.pool())));
  }

  /**
   * Sends the last part, which may be short, or empty when it is the only one; {@code facts} are
   * those of the whole file.
   */
  synchronized void last(Part part, FileFacts facts) {
    this.facts = facts;
    if (readers == Readers.SNAPSHOT && parts.isEmpty()) {
      bytes = part.bytes();
      published = releasing(part, READY.thenRunAsync(() -> put(part), resources.pool()));
      return;
    }
    part(part);
    if (readers == Readers.SNAPSHOT) {
      published =
          watched(
              CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                  .thenRunAsync(this::complete, resources.pool()));
    }
  }

  /** Releases a part when its request has ended, also if it never ran. */
  private <T> CompletableFuture<T> releasing(Part part, CompletableFuture<T> request) {
    return watched(request.whenComplete((answer, failed) -> part.release()));
  }

  /**
   * Fails the task attempt if a request fails. The request's own failure has done so already, but a
   * pool that cannot start a thread ends a request that never ran.
   */
  private <T> CompletableFuture<T> watched(CompletableFuture<T> request) {
    return request.whenComplete(
        (answer, failed) -> {
          if (failed != null) {
            state.fail(failed instanceof CompletionException ? failed.getCause() : failed);
          }
        });
  }

  /** What the job's commit needs. Call it once all requests have succeeded. */
  synchronized Upload toUpload(String partition, String name) {
    int partBytes = resources.limits().partBytes();
    if (readers == Readers.SNAPSHOT) {
      // The size of a part shows how many requests the file took; 0 is a file of one PUT.
      return new Upload(
          partition, name, "", bytes, parts.isEmpty() ? 0 : partBytes, List.of(), facts);
    }
    List<String> etags = parts.stream().map(CompletableFuture::join).toList();
    return new Upload(partition, name, created.join(), bytes, partBytes, etags, facts);
  }

  synchronized int partCount() {
    return parts.size();
  }

  /** Completes when no request of this file is running any more, whatever their outcomes. */
  synchronized CompletableFuture<Void> settled() {
    List<CompletableFuture<?>> all = new ArrayList<>(parts);
    if (created != null) {
      all.add(created);
    }
    if (published != null) {
      all.add(published);
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .handle((nothing, failure) -> null);
  }

  /** Undoes what was sent, after the last running request has ended. */
  CompletableFuture<Void> discard() {
    return settled().thenRunAsync(this::undo, resources.pool());
  }

  private String create() {
    return attempt(() -> request(() -> resources.store().createUpload(at)));
  }

  private String send(String id, int number, Part part) {
    if (id == null) {
      throw new IllegalStateException("The upload of " + at + " was not created.");
    }
    return attempt(
        () -> {
          state.check(at);
          Content content = part.view();
          return request(() -> resources.store().uploadPart(at, id, number, content));
        });
  }

  private void put(Part part) {
    attempt(
        () -> {
          state.check(at);
          Content content = part.view();
          return request(() -> resources.store().put(at, content));
        });
  }

  private void complete() {
    PendingUpload upload;
    synchronized (this) {
      List<String> etags = parts.stream().map(CompletableFuture::join).toList();
      upload = new PendingUpload(at, created.join(), bytes, etags);
    }
    attempt(
        () ->
            request(
                () -> {
                  object().complete(upload);
                  return null;
                }));
  }

  private <T> T request(Retry.Call<T> request) throws IOException {
    return resources.retry().send(request, state.stopped());
  }

  /** What a thread of the pool does for this file. */
  private interface Work<T> {
    T run() throws IOException;
  }

  /** Runs work, whose failure fails the whole task attempt. */
  private <T> T attempt(Work<T> work) {
    try {
      return work.run();
    } catch (IOException | RuntimeException | Error e) {
      state.fail(e);
      throw new RequestFailedException(e);
    }
  }

  private synchronized void undo() {
    if (created != null && !created.isCompletedExceptionally()) {
      object().abort(created.join());
    }
    if (published != null) {
      object().delete();
    }
  }

  private AttemptObject object() {
    return new AttemptObject(resources.store(), resources.retry(), state.undoGivenUp(), at);
  }

  /** Carries an exception through a future. */
  private static final class RequestFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RequestFailedException(Throwable cause) {
      super(cause);
    }
  }
}
