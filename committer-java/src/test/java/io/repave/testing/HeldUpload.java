package io.repave.testing;

import io.repave.core.store.Location;
import java.util.Arrays;

/**
 * An upload as the store in memory holds it, for ever: a consumed or aborted one answers replays.
 * It never changes, so copies of a store share it.
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

  /** This upload with one part more, or one replaced. */
  HeldUpload withPart(int number, HeldObject part) {
    HeldObject[] more = Arrays.copyOf(parts, Math.max(parts.length, number));
    more[number - 1] = part;
    return new HeldUpload(at, uploadId, initiatedMillis, progress, more);
  }

  /** The end of this upload. A completed one needs its parts no more. */
  HeldUpload ended(Progress end) {
    HeldObject[] kept = end == Progress.COMPLETED ? NO_PARTS : parts;
    return new HeldUpload(at, uploadId, initiatedMillis, end, kept);
  }
}
