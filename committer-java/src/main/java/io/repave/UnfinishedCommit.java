package io.repave;

import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import java.time.Instant;

/**
 * A commit that is decided and not finished. Either its process is still working on it, or that
 * process died and {@link RepaveTable#recover} finishes it.
 *
 * @param commit the name of the commit's folder under {@code _repave/commits/}
 * @param base the version that the commit started from
 * @param version 0 until it is published
 * @param token the write's token; "" for none
 * @param reserved when the commit was decided
 */
public record UnfinishedCommit(
    String commit,
    CommitKind kind,
    CommitState state,
    long base,
    long version,
    String token,
    Instant reserved) {}
