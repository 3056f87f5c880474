package io.repave.testing;

import io.repave.core.store.Location;
import io.repave.core.store.PendingUpload;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * An upload in a {@link MemoryObjectStore}. The store keeps it after its end, because a Complete
 * may be sent again. It never changes, so copies of a store share it.
 */
public record HeldUpload(
    Location at, String uploadId, long initiatedMillis, Progress progress, HeldObject[] parts) {

  /** How far the upload got. */
  public enum Progress {
    OPEN,
    COMPLETED,
    ABORTED
  }

  private static final HeldObject[] NO_PARTS = {};

  static HeldUpload start(Location at, String uploadId, long initiatedMillis) {
    return new HeldUpload(at, uploadId, initiatedMillis, Progress.OPEN, NO_PARTS);
  }

  public boolean open() {
    return progress == Progress.OPEN;
  }

  /** This upload with one part added or replaced. */
  HeldUpload withPart(int number, HeldObject part) {
    HeldObject[] more = Arrays.copyOf(parts, Math.max(parts.length, number));
    more[number - 1] = part;
    return new HeldUpload(at, uploadId, initiatedMillis, progress, more);
  }

  /** This upload, ended. A completed one no longer needs its parts. */
  HeldUpload ended(Progress end) {
    HeldObject[] kept = end == Progress.COMPLETED ? NO_PARTS : parts;
    return new HeldUpload(at, uploadId, initiatedMillis, end, kept);
  }

  /** Joins the parts that a Complete names. */
  byte[] join(PendingUpload pending) throws StoreException {
    List<String> etags = pending.etags();
    long bytes = 0;
    for (int i = 0; i < etags.size(); i++) {
      if (i >= parts.length || parts[i] == null || !parts[i].etag().equals(etags.get(i))) {
        throw new StoreException(
            Kind.INVALID, "part " + (i + 1) + " of " + at + " was not uploaded so (400)");
      }
      bytes += parts[i].content().length;
    }
    if (etags.isEmpty() || bytes != pending.bytes()) {
      String held = etags.size() + " parts of " + at + " hold " + bytes + " bytes";
      throw new StoreException(Kind.INVALID, held + ", not " + pending.bytes() + " (400)");
    }
    if (etags.size() == 1) {
      return parts[0].content();
    }
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int i = 0; i < etags.size(); i++) {
      content.writeBytes(parts[i].content());
    }
    return content.toByteArray();
  }
}
