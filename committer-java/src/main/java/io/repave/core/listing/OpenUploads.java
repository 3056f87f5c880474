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

/** The open uploads of a store: whether one is there, and giving up those of one commit. */
public final class OpenUploads {
  /** Pages of other people's uploads that a commit looks through; the rest is left to vacuum. */
  private static final int PAGES_MAX = 10;

  /** Folders outside the table that a commit looks through; there is seldom more than one. */
  private static final int FOLDERS_MAX = 50;

  private final TableContext context;

  public OpenUploads(TableContext context) {
    this.context = context;
  }

  /** Takes a page of open uploads; false when it has seen enough. */
  @FunctionalInterface
  public interface Page {
    boolean take(List<OpenUpload> uploads);
  }

  /** Hands on the open uploads below a folder. */
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
  public boolean open(Location at, String uploadId) throws IOException, InterruptedException {
    int slash = at.key().lastIndexOf('/');
    Location folder = new Location(at.bucket(), at.key().substring(0, Math.max(0, slash)));
    boolean[] known = {false};
    each(
        folder,
        uploads -> {
          known[0] = uploads.stream().anyMatch(upload -> upload.uploadId().equals(uploadId));
          return !known[0];
        });
    return known[0];
  }

  /**
   * Aborts the uploads of a commit that nobody will complete: those of attempts that lost, or of a
   * job that failed. Uploads are known by the commit's id in their name; nobody else's is touched.
   * Of the folders that the commit {@code touched}, those outside the table are looked through too,
   * 1 listing each, as far as there are not too many. Returns how many were given up.
   */
  public int giveUp(CommitId id, Collection<String> touched)
      throws IOException, InterruptedException {
    List<Location> folders = new ArrayList<>(List.of(context.paths().root()));
    touched.stream()
        .filter(RecordNames::elsewhere)
        .limit(FOLDERS_MAX)
        .forEach(folder -> folders.add(context.paths().folder(folder)));
    int given = 0;
    for (Location folder : folders) {
      List<OpenUpload> own = own(id, folder);
      context.runner().each(own.iterator(), upload -> abort(at(folder, upload), upload.uploadId()));
      given += own.size();
    }
    return given;
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

  /** Gives up one upload; one that is gone already is as good. */
  public void abort(Location at, String uploadId) throws IOException, InterruptedException {
    context
        .retry()
        .known(
            () -> {
              context.store().abort(at, uploadId);
              return true;
            });
  }

  /** Where an upload goes that was found below a folder. */
  public static Location at(Location folder, OpenUpload upload) {
    return new Location(folder.bucket(), upload.key());
  }

  public static String nameOf(OpenUpload upload) {
    return upload.key().substring(upload.key().lastIndexOf('/') + 1);
  }
}
