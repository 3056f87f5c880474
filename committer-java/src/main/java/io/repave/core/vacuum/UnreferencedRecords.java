package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.Head;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records that nothing names. Of two processes that plan one commit, or write the checkpoint of one
 * version, one wins, and what the other had written stays; so do the ledgers that attempts left
 * among the records of a commit.
 *
 * <p>Requests: 1 GET for each commit whose plan has shards, and for each checkpoint.
 */
public final class UnreferencedRecords {
  private static final Pattern CHECKPOINT = Pattern.compile("(\\d{12,18})-.+\\.json\\.gz");

  private final TableContext context;
  private CommitId planned;
  private Set<String> shards = Set.of();

  public UnreferencedRecords(TableContext context) {
    this.context = context;
  }

  /** True for a record of a commit that is over, if nobody will read it; asked commit by commit. */
  boolean isLost(Location at, CommitId over) throws IOException, InterruptedException {
    String name = nameOf(at);
    if (name.startsWith("task-") || name.equals(TablePaths.HEARTBEAT)) {
      return true;
    }
    if (!name.startsWith("manifest-")) {
      return false;
    }
    if (!over.equals(planned)) {
      planned = over;
      shards = shardsOf(over);
    }
    return !shards.isEmpty() && !shards.contains(name);
  }

  /** None, too, for a plan that cannot be read: whoever mends it may need them all. */
  private Set<String> shardsOf(CommitId over) throws IOException, InterruptedException {
    try {
      Optional<CommitManifest> plan = CommitManifest.read(context, over);
      return plan.isPresent() ? Set.copyOf(plan.get().index().shards()) : Set.of();
    } catch (InvalidRecordException damaged) {
      return Set.of();
    }
  }

  /**
   * Those among the checkpoints. One that is not older than the head's may be about to be named; an
   * older one never is, since the head takes none in place of a newer one.
   */
  boolean isLost(Location at, Head head, Set<String> named) {
    Matcher name = CHECKPOINT.matcher(nameOf(at));
    return name.matches()
        && Long.parseLong(name.group(1)) < head.checkpointVersion()
        && !named.contains(nameOf(at));
  }

  private static String nameOf(Location at) {
    return at.key().substring(at.key().lastIndexOf('/') + 1);
  }
}
