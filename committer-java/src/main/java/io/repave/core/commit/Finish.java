package io.repave.core.commit;

import io.repave.core.engine.CommitReport;
import io.repave.core.engine.DispensableWork;
import io.repave.core.engine.ReportJson;
import io.repave.core.engine.Step;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.follow.Followers;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.TokenJson;
import io.repave.core.record.UsedToken;
import io.repave.core.snapshot.CheckpointWriter;
import io.repave.core.snapshot.CommitManifest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Step 9: writes the checkpoints that are due, then the report, {@code _SUCCESS} and the token's
 * record, then removes the commit from the head's list of unfinished commits. The report comes
 * after the checkpoints because it counts their requests.
 *
 * <p>Requests: those of the checkpoints; 1 PUT for each of the other records, in parallel; 1 PUT
 * If-Match. Readers see: the new rows. If the process dies here: recovery repeats the step. It
 * throws, and swaps nothing, when an older head was put back.
 */
public final class Finish {
  private final TableContext context;

  public Finish(TableContext context) {
    this.context = context;
  }

  /** Writes one record. */
  @FunctionalInterface
  private interface Write {
    void run() throws IOException, InterruptedException;
  }

  /** {@code forward} are the followers that the commit brought to its version. */
  public CommitReport run(
      LedgerIndex index,
      CommitManifest manifest,
      Publish.Published published,
      List<Follower> forward)
      throws IOException, InterruptedException {
    Reporter reporter = new Reporter(context);
    try (var span = context.meter().begin(Step.FINISH, 0)) {
      VersionedHead seen = published.seen();
      Head head = seen.head().orElseThrow();
      if (head.active(index.id()).isEmpty()) {
        return reporter.report(index, manifest, published.version());
      }
      String checkpoint = checkpoints(head, published.version(), forward);
      CommitReport report = reporter.report(index, manifest, published.version());
      context.runner().each(writes(index, report, head.tableId()).iterator(), Write::run);
      context
          .heads()
          .update(
              seen,
              index.id(),
              now -> {
                published.requireIn(context, index.id(), now);
                return now.flatMap(other -> finished(other, index, head, checkpoint))
                    .map(next -> next.following(forward));
              });
      return report;
    }
  }

  /** Writes the checkpoints that are due; returns the name of the table's own, or "". */
  private String checkpoints(Head head, long version, List<Follower> forward)
      throws IOException, InterruptedException {
    // Not as actions of the runner: within one, the records are read one after the other.
    String own = checkpoint(head, version);
    new Followers(context).checkpoint(head, forward);
    return own;
  }

  private List<Write> writes(LedgerIndex index, CommitReport report, String tableId) {
    byte[] json = ReportJson.write(report);
    List<Write> writes = new ArrayList<>();
    writes.add(() -> context.records().put(context.paths().report(index.id()), json));
    if (!index.marker().isEmpty()) {
      writes.add(() -> context.records().put(context.paths().root().resolve(index.marker()), json));
    }
    if (!index.token().isEmpty()) {
      LoggedCommit own =
          new LoggedCommit(index.id(), index.kind(), report.version(), index.token(), List.of());
      byte[] token = TokenJson.write(new UsedToken(tableId, own));
      writes.add(() -> context.records().put(context.paths().token(index.token()), token));
    }
    return writes;
  }

  /**
   * Writes a checkpoint if one is due, and returns its name. The commit is already published, so a
   * checkpoint that cannot be written, because a record of the history is missing for example, must
   * not keep it unfinished.
   */
  private String checkpoint(Head head, long version) throws InterruptedException {
    try {
      CheckpointWriter writer = new CheckpointWriter(context);
      return DispensableWork.run(() -> writer.writeIfDue(head, version)).orElse("");
    } catch (IOException e) {
      context.ports().progress().noCheckpoint(e.getMessage());
      return "";
    }
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
    return Optional.of(next.withoutOldLog());
  }
}
