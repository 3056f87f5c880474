package io.repave;

import io.repave.core.record.CommitKind;
import java.time.Instant;
import java.util.Optional;

/**
 * A commit in the history of a table.
 *
 * @param version 0 for a commit that is not published, or was reverted
 * @param commit the name of the commit's folder under {@code _repave/commits/}
 * @param token the write's token; "" for none
 * @param published when the version was published; empty if it was not, and in records of version
 *     0.1
 * @param counts empty while the commit has no manifest, and after vacuum removed it
 */
public record HistoryEntry(
    long version,
    String commit,
    CommitKind kind,
    State state,
    String token,
    Optional<Instant> published,
    Optional<CommitCounts> counts) {
  /** How far a commit has come. */
  public enum State {
    /** Decided; its files may or may not exist yet. */
    PENDING,
    /** Published; the files that it replaced may still exist. */
    CLEANING,
    /** One of its uploads is lost; its files are being deleted. */
    REVERTING,
    /** Finished: its rows are in the table. */
    PUBLISHED,
    /** Undone: its rows are not in the table. */
    REVERTED
  }
}
