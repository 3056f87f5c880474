package io.repave.core.step;

import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitId;
import io.repave.core.store.Location;
import io.repave.core.store.OpenUpload;
import io.repave.core.store.UploadPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The open uploads of a store: whether one is there, and giving up those of one commit. */
public final class OpenUploads {
  /** Pages of other people's uploads that a commit looks through; the rest is left to vacuum. */
  private static final int PAGES_MAX = 10;

  private final StepContext context;

  public OpenUploads(StepContext context) {
    this.context = context;
  }

  /** True when the store still knows an upload. */
  boolean open(Location at, String uploadId) throws IOException, InterruptedException {
    int slash = at.key().lastIndexOf('/');
    Location folder = new Location(at.bucket(), at.key().substring(0, Math.max(0, slash)));
    String next = "";
    do {
      String from = next;
      UploadPage page = context.retry().known(() -> context.store().listUploads(folder, from));
      for (OpenUpload upload : page.uploads()) {
        if (upload.uploadId().equals(uploadId)) {
          return true;
        }
      }
      next = page.next();
    } while (!next.isEmpty());
    return false;
  }

  /**
   * Aborts the uploads of a commit that nobody will complete: those of attempts that lost, or of a
   * job that failed. Uploads are known by the commit's id in their name; nobody else's is touched.
   * Returns how many were given up.
   */
  public int giveUp(CommitId id) throws IOException, InterruptedException {
    List<OpenUpload> own = new ArrayList<>();
    String next = "";
    for (int page = 0; page < PAGES_MAX; page++) {
      String from = next;
      UploadPage found =
          context.retry().known(() -> context.store().listUploads(context.paths().root(), from));
      found.uploads().stream()
          .filter(upload -> PartFileName.belongsTo(nameOf(upload), id.id()))
          .forEach(own::add);
      next = found.next();
      if (next.isEmpty()) {
        break;
      }
    }
    abort(own);
    return own.size();
  }

  private void abort(List<OpenUpload> uploads) throws IOException, InterruptedException {
    String bucket = context.paths().root().bucket();
    context
        .fan()
        .each(
            uploads.iterator(),
            upload -> {
              Location at = new Location(bucket, upload.key());
              context
                  .retry()
                  .known(
                      () -> {
                        context.store().abort(at, upload.uploadId());
                        return true;
                      });
            });
  }

  static String nameOf(OpenUpload upload) {
    return upload.key().substring(upload.key().lastIndexOf('/') + 1);
  }
}
