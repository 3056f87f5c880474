package io.repave.core.commit;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.Application;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.ManifestIndex;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * A removal without a token, which a program makes again when it is run again: a drop of
 * partitions, or an overwrite of the program itself. It removes the rows that the first try of the
 * program wrote after it.
 *
 * <p>Requests: 1 GET for each commit in the head's log that may be the removal. Readers see: no
 * change. If the process dies here: nothing was written.
 */
final class RepeatedRemoval {
  private final TableContext context;
  private final String program;
  private final String earlier;

  /**
   * {@code program} is the one that runs now, and {@code earlier} the one whose rows it is about;
   * "" if it is not known.
   */
  RepeatedRemoval(TableContext context, String program, String earlier) {
    this.context = context;
    this.program = program;
    this.earlier = earlier;
  }

  /** The removal after a version that replaced one of these partitions. */
  Optional<LoggedCommit> find(Head head, long since, Set<String> partitions)
      throws IOException, InterruptedException {
    if (partitions.isEmpty()) {
      return Optional.empty();
    }
    Footprint removed = Footprint.of(partitions);
    for (LoggedCommit commit : head.publishedSince(since)) {
      if (mayRemove(commit, removed) && isRemoval(commit, removed)) {
        return Optional.of(commit);
      }
    }
    return Optional.empty();
  }

  private static boolean mayRemove(LoggedCommit commit, Footprint removed) {
    return commit.kind().overwrites()
        && commit.token().isEmpty()
        && removed.mayOverlap(commit.touched());
  }

  private boolean isRemoval(LoggedCommit commit, Footprint removed)
      throws IOException, InterruptedException {
    Optional<CommitManifest> manifest = manifest(commit);
    if (manifest.isEmpty()) {
      return false;
    }
    ManifestIndex index = manifest.get().index();
    boolean isOwn = !program.isEmpty() && index.application().equals(program);
    return (isOwn || isDrop(index)) && index.replaced().overlaps(removed);
  }

  /** A drop that this program makes before the write. */
  private boolean isDrop(ManifestIndex index) {
    if (index.totals().filesIn() > 0) {
      return false;
    }
    Application running = Application.parse(program);
    Application dropping = Application.parse(index.application());
    if (running.isOfStream()) {
      // An execution between the earlier one and this one may have made it, and has then left
      // nothing to drop. The earlier one made its drops after the write.
      return dropping.isSameBatch(running) && !index.application().equals(earlier);
    }
    // A drop names no program outside of streams, and an overwrite without rows of Spark does. A
    // batch may drop in its own thread, and write in another one that does not know the batch.
    return index.application().isEmpty() || dropping.isOfStream() || program.isEmpty();
  }

  /** Refuse only what the records prove: a manifest that cannot be read counts as missing. */
  private Optional<CommitManifest> manifest(LoggedCommit commit)
      throws IOException, InterruptedException {
    try {
      return CommitManifest.read(context, commit.id());
    } catch (InvalidRecordException unknown) {
      return Optional.empty();
    }
  }
}
