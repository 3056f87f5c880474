package io.repave.core.engine;

import io.repave.core.record.CommitId;
import io.repave.core.record.FileTotals;
import java.util.Optional;

/**
 * How a commit ended: it was published as {@code version}. {@code report} is empty when another
 * process finished it, or when an earlier commit had done the same work under the same token;
 * {@code by} is then that earlier commit.
 */
public record CommitResult(
    CommitId by, long version, FileTotals totals, Optional<CommitReport> report) {}
