package io.repave.core.conflict;

import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the head within {@link #BYTES_MAX}, whatever the number of writers: every commit reads and
 * writes it several times. When half of it is used, a commit leaves out the outline of its folders,
 * so that others have to read its ledger; when all of it is, a commit waits until others are
 * finished.
 *
 * <p>Requests: none.
 */
public final class HeadSpace {
  /** The most that a head with several unfinished commits has. */
  public static final int BYTES_MAX = 64 << 10;

  private HeadSpace() {}

  /** The head with one more unfinished commit; empty when there is no room for it. */
  public static Optional<Head> adding(Head head, ActiveCommit entry) {
    Head whole = head.adding(entry);
    // Others to wait for are the only ones that make room.
    if (head.active().isEmpty() || fits(whole, BYTES_MAX / 2)) {
      return Optional.of(whole);
    }
    Head small = head.adding(entry.withoutOutline());
    return fits(small, BYTES_MAX) ? Optional.of(small) : Optional.empty();
  }

  /** An unfinished commit comes into the log before it leaves the list: there is room for both. */
  private static boolean fits(Head head, int bytesMax) {
    int bytes = HeadJson.write(head).length;
    int unfinished = bytes - HeadJson.write(head.change().active(List.of()).done()).length;
    return bytes + unfinished <= bytesMax;
  }
}
