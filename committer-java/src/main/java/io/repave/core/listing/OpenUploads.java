package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitId;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The open uploads of a store: finds one, or aborts all uploads of a commit. */
public final class OpenUploads {
  /** The most pages of uploads that a commit reads; vacuum handles the rest. */
  private static final int PAGES_MAX = 10;

  /** The most folders outside the table that a commit lists; there is seldom more than one. */
  private static final int FOLDERS_MAX = 50;

  private final TableContext context;

  public OpenUploads(TableContext context) {
    this.context = context;
  }

  /** Receives a page of open uploads; returns false to stop. */
  @FunctionalInterface
  public interface Page {
    boolean take(List<OpenUpload> uploads) throws IOException, InterruptedException;
  }

  /** Sends one request for a page. */
  @FunctionalInterface
  private interface Listing {
    UploadPage from(String next) throws StoreException;
  }

  /** Passes on the open uploads below a folder. */
  public void each(Location folder, Page page) throws IOException, InterruptedException {
    each(next -> context.store().listUploads(folder, next), page);
  }

  private void each(Listing listing, Page page) throws IOException, InterruptedException {
    String next = "";
    boolean more = true;
    while (more) {
      String from = next;
      UploadPage found = context.retry().known(() -> listing.from(from));
      next = found.next();
      more = page.take(found.uploads()) && !next.isEmpty();
    }
  }

  /** True when the store still knows an upload. */
  public boolean isOpen(Location at, String uploadId) throws IOException, InterruptedException {
    boolean[] known = {false};
    each(
        next -> context.store().listUploadsOf(at, next),
        uploads -> {
          known[0] = uploads.stream().anyMatch(upload -> upload.uploadId().equals(uploadId));
          return !known[0];
        });
    return known[0];
  }

  /**
   * Aborts the uploads of a commit that no process will complete: those of task attempts that were
   * not committed, or of a job that failed. Uploads are recognized by the commit's id in their
   * name; other uploads stay. Of the folders that the commit {@code touched}, those outside the
   * table are listed too, with 1 listing each, up to a limit. Returns the number of aborted
   * uploads; vacuum aborts those behind the first pages.
   */
  public int abortAll(CommitId id, Collection<String> touched)
      throws IOException, InterruptedException {
    List<Location> folders = new ArrayList<>(List.of(context.paths().root()));
    touched.stream()
        .filter(RecordNames::isOutside)
        .limit(FOLDERS_MAX)
        .forEach(folder -> folders.add(context.paths().folder(folder)));
    int aborted = 0;
    for (Location folder : folders) {
      aborted += abort(id, folder, PAGES_MAX);
    }
    return aborted;
  }

  /** Aborts all uploads of a commit below a folder, however many pages there are. */
  public void abortEvery(CommitId id, Location folder) throws IOException, InterruptedException {
    abort(id, folder, Integer.MAX_VALUE);
  }

  private int abort(CommitId id, Location folder, int pages)
      throws IOException, InterruptedException {
    int[] aborted = {0};
    eachOwn(
        id,
        folder,
        pages,
        own -> {
          context
              .runner()
              .each(own.iterator(), upload -> abort(at(folder, upload), upload.uploadId()));
          aborted[0] += own.size();
        });
    return aborted[0];
  }

  /**
   * The ids of a commit's open uploads below the table's root; not all of them when there are many
   * pages, and none when the store does not list uploads.
   */
  public Set<String> ids(CommitId id) throws InterruptedException {
    Set<String> ids = new HashSet<>();
    try {
      eachOwn(
          id,
          context.paths().root(),
          PAGES_MAX,
          own -> own.forEach(upload -> ids.add(upload.uploadId())));
    } catch (IOException notListed) {
      return Set.of();
    }
    return ids;
  }

  /** Receives the uploads of one commit on a page. */
  @FunctionalInterface
  private interface OwnUploads {
    void take(List<OpenUpload> uploads) throws IOException, InterruptedException;
  }

  private void eachOwn(CommitId id, Location folder, int pagesMax, OwnUploads own)
      throws IOException, InterruptedException {
    int[] pages = {0};
    each(
        folder,
        uploads -> {
          own.take(
              uploads.stream()
                  .filter(upload -> PartFileName.belongsTo(nameOf(upload), id.id()))
                  .toList());
          pages[0]++;
          return pages[0] < pagesMax;
        });
  }

  /** Aborts one upload; it is not an error when the upload is already gone. */
  public void abort(Location at, String uploadId) throws IOException, InterruptedException {
    context
        .retry()
        .known(
            () -> {
              context.store().abort(at, uploadId);
              return true;
            });
  }

  /** The place of an upload that was found below a folder. */
  public static Location at(Location folder, OpenUpload upload) {
    return new Location(folder.bucket(), upload.key());
  }

  public static String nameOf(OpenUpload upload) {
    return upload.key().substring(upload.key().lastIndexOf('/') + 1);
  }
}
