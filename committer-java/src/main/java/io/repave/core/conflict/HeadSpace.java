package io.repave.core.conflict;

import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the head within {@link #BYTES_MAX}, whatever the number of writers, because every commit
 * reads and writes it several times. When half of the space is used, a commit shortens the outline
 * of its folders, so that other commits have to read its ledger. When all of it is used, a commit
 * waits until other commits are finished.
 *
 * <p>Requests: none.
 */
public final class HeadSpace {
  /** The largest size of a head with several unfinished commits. */
  public static final int BYTES_MAX = 64 << 10;

  /**
   * The largest size of a head with one unfinished commit: readers accept such a head, whatever its
   * names are. It has a long log only when no checkpoint can be written.
   */
  public static final int LOG_BYTES_MAX = 8 << 20;

  private HeadSpace() {}

  /** True when the log leaves no space for one more commit: it needs a checkpoint first. */
  public static boolean isFull(Head head, ActiveCommit entry) {
    return !fits(head.adding(entry), LOG_BYTES_MAX);
  }

  /** The head with one more unfinished commit; empty when there is no space for it. */
  public static Optional<Head> adding(Head head, ActiveCommit entry) {
    Head whole = head.adding(entry);
    // Only unfinished commits free space, so without any there is nothing to wait for.
    if (head.active().isEmpty() || fits(whole, BYTES_MAX / 2)) {
      return Optional.of(whole);
    }
    Head small = head.adding(entry.shortened());
    return fits(small, BYTES_MAX) ? Optional.of(small) : Optional.empty();
  }

  /** An unfinished commit enters the log before it leaves the list, so both need space. */
  private static boolean fits(Head head, int bytesMax) {
    int bytes = HeadJson.write(head).length;
    int unfinished = bytes - HeadJson.write(head.change().active(List.of()).done()).length;
    return bytes + unfinished <= bytesMax;
  }
}
