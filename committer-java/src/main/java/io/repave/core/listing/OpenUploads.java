package io.repave.core.listing;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitId;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

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
    boolean take(List<OpenUpload> uploads);
  }

  /** Passes on the open uploads below a folder. */
  public void each(Location folder, Page page) throws IOException, InterruptedException {
    String next = "";
    boolean more = true;
    while (more) {
      String from = next;
      UploadPage found = context.retry().known(() -> context.store().listUploads(folder, from));
      next = found.next();
      more = page.take(found.uploads()) && !next.isEmpty();
    }
  }

  /** True when the store still knows an upload. */
  public boolean isOpen(Location at, String uploadId) throws IOException, InterruptedException {
    boolean[] known = {false};
    each(
        at.parent(),
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
   * uploads.
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
      List<OpenUpload> own = own(id, folder);
      context.runner().each(own.iterator(), upload -> abort(at(folder, upload), upload.uploadId()));
      aborted += own.size();
    }
    return aborted;
  }

  /**
   * The ids of a commit's open uploads below the table's root; not all of them when there are many
   * pages, and none when the store does not list uploads.
   */
  public Set<String> ids(CommitId id) throws InterruptedException {
    try {
      return own(id, context.paths().root()).stream()
          .map(OpenUpload::uploadId)
          .collect(Collectors.toSet());
    } catch (IOException notListed) {
      return Set.of();
    }
  }

  private List<OpenUpload> own(CommitId id, Location folder)
      throws IOException, InterruptedException {
    List<OpenUpload> own = new ArrayList<>();
    int[] pages = {0};
    each(
        folder,
        uploads -> {
          uploads.stream()
              .filter(upload -> PartFileName.belongsTo(nameOf(upload), id.id()))
              .forEach(own::add);
          pages[0]++;
          return pages[0] < PAGES_MAX;
        });
    return own;
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
