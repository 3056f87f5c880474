package io.repave.core.commit;

import io.repave.core.engine.CommitReport;
import io.repave.core.engine.ReportJson;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.TokenJson;
import io.repave.core.snapshot.CheckpointWriter;
import io.repave.core.store.Location;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Step 8: writes what stays (the report, {@code _SUCCESS}, the token, a checkpoint when one is due)
 * and takes the commit off the head's list of unfinished ones.
 *
 * <p>Requests: 1 PUT If-Match, and 1 PUT for each of what stays, at the same time. Readers see: the
 * new rows. If we die here: recovery does it again.
 */
public final class Finish {
  /** Commits that the head keeps naming after a checkpoint holds them. */
  private static final int LOG_KEPT = 32;

  private final TableContext context;

  public Finish(TableContext context) {
    this.context = context;
  }

  /** One thing to write. */
  @FunctionalInterface
  private interface Writing {
    void run() throws IOException, InterruptedException;
  }

  public VersionedHead run(LedgerIndex index, CommitReport report, VersionedHead seen)
      throws IOException, InterruptedException {
    try (var span = context.meter().begin(Step.FINISH, 0)) {
      Head head = seen.head().orElseThrow();
      if (head.active(index.id()).isEmpty()) {
        return seen;
      }
      String[] checkpoint = {""};
      context.runner().each(writings(index, report, head, checkpoint).iterator(), Writing::run);
      return context
          .heads()
          .update(
              seen,
              index.id(),
              now -> now.flatMap(other -> finished(other, index, head, checkpoint[0])));
    }
  }

  private List<Writing> writings(
      LedgerIndex index, CommitReport report, Head head, String[] checkpoint) {
    byte[] json = ReportJson.write(report);
    List<Writing> writings = new ArrayList<>();
    writings.add(() -> put(context.paths().report(index.id()), json));
    if (!index.marker().isEmpty()) {
      writings.add(() -> put(context.paths().root().resolve(index.marker()), json));
    }
    if (!index.token().isEmpty()) {
      LoggedCommit own =
          new LoggedCommit(index.id(), index.kind(), report.version(), index.token(), List.of());
      writings.add(() -> put(context.paths().token(index.token()), TokenJson.write(own)));
    }
    writings.add(() -> checkpoint[0] = checkpoint(head, report.version()));
    return writings;
  }

  /**
   * The name of the checkpoint that was due and written. The commit is published: that one could
   * not be written, because a record of the history is gone, is no reason to leave it unfinished.
   */
  private String checkpoint(Head head, long version) throws InterruptedException {
    try {
      return new CheckpointWriter(context).writeIfDue(head, version).orElse("");
    } catch (IOException e) {
      context.ports().progress().noCheckpoint(e.getMessage());
      return "";
    }
  }

  private void put(Location at, byte[] content) throws IOException, InterruptedException {
    context.retry().known(() -> context.store().put(at, ByteBuffer.wrap(content)));
  }

  private static Optional<Head> finished(
      Head head, LedgerIndex index, Head checked, String checkpoint) {
    if (head.active(index.id()).isEmpty()) {
      return Optional.empty();
    }
    Head next = head.without(index.id());
    if (!checkpoint.isEmpty() && head.hasCheckpointOf(checked)) {
      next = next.change().checkpoint(checked.version(), checkpoint).done();
    }
    return Optional.of(next.change().log(kept(next)).done());
  }

  /** The log goes back to the checkpoint, and some commits further. */
  private static List<LoggedCommit> kept(Head head) {
    List<LoggedCommit> log = head.log();
    List<LoggedCommit> kept = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      boolean recent = i >= log.size() - LOG_KEPT;
      if (recent || log.get(i).version() > head.checkpointVersion()) {
        kept.add(log.get(i));
      }
    }
    return kept;
  }
}
