package io.repave.hadoop.upload;

import io.repave.core.ledger.Upload;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The requests of one file. Nothing is sent before the first part is there; from then on every
 * request runs in the pool and the writer goes on.
 *
 * <p>For a listing table the upload stays open: the commit completes it. For a snapshot table a
 * file of one part is put at once, and a longer one is completed behind its last part, since nobody
 * reads it before the manifest names it.
 */
final class FileUpload {
  private final Transfers transfers;
  private final AttemptState state;
  private final Readers readers;
  private final Location at;
  private final List<CompletableFuture<String>> parts = new ArrayList<>();
  private CompletableFuture<String> created;
  private CompletableFuture<Void> published;
  private long bytes;

  FileUpload(Transfers transfers, AttemptState state, Readers readers, Location at) {
    this.transfers = transfers;
    this.state = state;
    this.readers = readers;
    this.at = at;
  }

  Location at() {
    return at;
  }

  UploadStream stream() {
    return new UploadStream(transfers, state, this);
  }

  synchronized long bytes() {
    return bytes;
  }

  /** Sends a full part after which more comes. */
  synchronized void part(Part part) {
    bytes += part.bytes();
    if (created == null) {
      created = CompletableFuture.supplyAsync(this::create, transfers.pool());
    }
    int number = parts.size() + 1;
    parts.add(created.handleAsync((id, failed) -> send(id, number, part), transfers.pool()));
  }

  /** Sends the last part, which may be short, or empty when it is the only one. */
  synchronized void last(Part part) {
    if (readers == Readers.SNAPSHOT && parts.isEmpty()) {
      bytes = part.bytes();
      published = CompletableFuture.runAsync(() -> put(part), transfers.pool());
      return;
    }
    part(part);
    if (readers == Readers.SNAPSHOT) {
      published =
          CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
              .thenRunAsync(this::complete, transfers.pool());
    }
  }

  /** What the job's commit needs; only when all is settled and nothing failed. */
  synchronized Upload toUpload(String partition, String name) {
    if (readers == Readers.SNAPSHOT) {
      return new Upload(partition, name, "", bytes, 0, List.of());
    }
    List<String> etags = parts.stream().map(CompletableFuture::join).toList();
    int partBytes = transfers.limits().partBytes();
    return new Upload(partition, name, created.join(), bytes, partBytes, etags);
  }

  synchronized int partCount() {
    return parts.size();
  }

  /** Done when no request of this file is under way any more, however they ended. */
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

  /** Undoes what was sent, behind the last request that is under way. */
  CompletableFuture<Void> discard() {
    return settled().thenRunAsync(this::undo, transfers.pool());
  }

  private String create() {
    return attempt(() -> transfers.store().createUpload(at));
  }

  private String send(String id, int number, Part part) {
    try {
      if (id == null) {
        throw new IllegalStateException("The upload of " + at + " was not created.");
      }
      return attempt(() -> transfers.store().uploadPart(at, id, number, part.view()));
    } finally {
      part.release();
    }
  }

  private void put(Part part) {
    try {
      attempt(() -> transfers.store().put(at, part.view()));
    } finally {
      part.release();
    }
  }

  private void complete() {
    PendingUpload upload;
    synchronized (this) {
      List<String> etags = parts.stream().map(CompletableFuture::join).toList();
      int partBytes = transfers.limits().partBytes();
      upload = new PendingUpload(at, created.join(), bytes, partBytes, etags);
    }
    attempt(
        () -> {
          ownKey().complete(upload);
          return null;
        });
  }

  /** Runs a request; its failure is the attempt's. */
  private <T> T attempt(Retry.Request<T> request) {
    try {
      return transfers.retry().send(request, state.stopped());
    } catch (IOException | RuntimeException | Error e) {
      state.fail(e);
      throw new RequestFailed(e);
    }
  }

  private synchronized void undo() {
    if (created != null && !created.isCompletedExceptionally()) {
      ownKey().abort(created.join());
    }
    if (published != null) {
      ownKey().delete();
    }
  }

  private OwnKey ownKey() {
    return new OwnKey(transfers.store(), transfers.retry(), at);
  }

  /** An exception on its way through a future. */
  private static final class RequestFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RequestFailed(Throwable cause) {
      super(cause);
    }
  }
}
