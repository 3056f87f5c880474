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
 * Recognizes records that no other record names. When two processes write the manifest of one
 * commit, or the checkpoint of one version, one wins and the records of the other stay. Task
 * attempts also leave ledgers among the records of a commit.
 *
 * <p>Requests: 1 GET per commit whose manifest has shards, and per checkpoint.
 */
public final class UnreferencedRecords {
  private static final Pattern CHECKPOINT = Pattern.compile("(\\d{12,18})-.+\\.json\\.gz");

  private final TableContext context;
  private CommitId current;
  private Set<String> shards = Set.of();

  public UnreferencedRecords(TableContext context) {
    this.context = context;
  }

  /** True for a record of an ended commit that no process will read; call it commit by commit. */
  boolean contains(Location at, CommitId ended) throws IOException, InterruptedException {
    String name = at.name();
    if (name.startsWith(TablePaths.TASK) || name.equals(TablePaths.HEARTBEAT)) {
      return true;
    }
    if (!name.startsWith(TablePaths.MANIFEST + "-")) {
      return false;
    }
    if (!ended.equals(current)) {
      current = ended;
      shards = shardsOf(ended);
    }
    return !shards.isEmpty() && !shards.contains(name);
  }

  /** Empty for a manifest that cannot be read, because its repair may need every shard. */
  private Set<String> shardsOf(CommitId ended) throws IOException, InterruptedException {
    try {
      Optional<CommitManifest> manifest = CommitManifest.read(context, ended);
      return manifest.isPresent() ? Set.copyOf(manifest.get().index().shards()) : Set.of();
    } catch (InvalidRecordException damaged) {
      return Set.of();
    }
  }

  /**
   * True for a checkpoint that no head names. A head may still name a checkpoint that is not older
   * than its own; it never names an older one, because no checkpoint replaces a newer one.
   */
  boolean contains(Location at, Head head, Set<String> named) {
    Matcher name = CHECKPOINT.matcher(at.name());
    return name.matches()
        && Long.parseLong(name.group(1)) < head.checkpointVersion()
        && !named.contains(at.name());
  }
}
