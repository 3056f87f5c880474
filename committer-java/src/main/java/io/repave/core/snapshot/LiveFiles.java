package io.repave.core.snapshot;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.CommitId;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files that are live at a version: those of the newest checkpoint before it, changed by the
 * commits since. They come in order and are never all in memory.
 *
 * <p>Requests: 1 GET a shard of the checkpoint that holds a wanted partition, and for each commit
 * since: 1, and 1 a shard of its manifest that does.
 */
public final class LiveFiles {
  /** Commits that are merged at once: each may have a shard in memory. */
  static final int COMMITS_AT_ONCE = 32;

  private final TableContext context;
  private final CheckpointChain chain;
  private final History history;
  private final Map<CommitId, CommitManifest> plans =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<CommitId, CommitManifest> eldest) {
          return size() > COMMITS_AT_ONCE;
        }
      };

  public LiveFiles(TableContext context) {
    this.context = context;
    this.chain = new CheckpointChain(context);
    this.history = new History(context);
  }

  /** A stream of files, and what it holds open. */
  public static final class Open implements FileStream, AutoCloseable {
    private final List<AutoCloseable> resources = new ArrayList<>();
    private FileStream files = FileStream.EMPTY;

    <T extends AutoCloseable> T keep(T resource) {
      resources.add(resource);
      return resource;
    }

    @Override
    public Optional<Placed> next() throws IOException, InterruptedException {
      return files.next();
    }

    /** Hands on all files. */
    public void each(FileSink sink) throws IOException, InterruptedException {
      for (Optional<Placed> next = next(); next.isPresent(); next = next()) {
        sink.file(next.get().partition(), next.get().file());
      }
    }

    @Override
    public void close() throws IOException {
      for (AutoCloseable resource : resources) {
        try {
          resource.close();
        } catch (IOException e) {
          throw e;
        } catch (Exception e) {
          throw new IOException(e);
        }
      }
    }
  }

  /** The version, not after another one, at which they were last written down; 0 if never. */
  public long recordedAt(Head head, long version) throws IOException, InterruptedException {
    return chain.filesBefore(head, version).version();
  }

  /** All of them. */
  public Open all(Head head, long version) throws IOException, InterruptedException {
    return covered(head, version, Footprint.EVERYTHING);
  }

  /** Those of the partitions that a footprint covers. */
  public Open covered(Head head, long version, Footprint wanted)
      throws IOException, InterruptedException {
    requireVersion(head, version);
    if (wanted.isEmpty()) {
      return new Open();
    }
    CheckpointIndex checkpoint = chain.filesBefore(head, version);
    List<LoggedCommit> commits = new ArrayList<>();
    for (LoggedCommit commit : history.publishedSince(head, checkpoint.version())) {
      if (commit.version() <= version) {
        commits.add(commit);
      }
    }
    return changed(checkpoint.shards(), commits, wanted);
  }

  /** The wanted files of some shards, as commits since leave them. */
  Open changed(List<CheckpointShard> shards, List<LoggedCommit> commits, Footprint wanted)
      throws IOException, InterruptedException {
    Open open = new Open();
    open.files = open.keep(new CheckpointFiles(context, wanted)).of(shards);
    for (int from = 0; from < commits.size(); from += COMMITS_AT_ONCE) {
      int to = Math.min(commits.size(), from + COMMITS_AT_ONCE);
      ChangedFiles changed = new ChangedFiles(open.files);
      for (LoggedCommit commit : commits.subList(from, to)) {
        CommitManifest plan = plan(commit);
        changed.then(plan.index(), open.keep(new ManifestFiles(context, plan, wanted)));
      }
      open.files = changed.files();
      if (to < commits.size()) {
        open.files = open.keep(SortedRun.of(context.ports().scratch(), open.files)).files();
      }
    }
    return open;
  }

  /** The manifest of a published commit, which must be there. */
  public CommitManifest plan(LoggedCommit commit) throws IOException, InterruptedException {
    CommitManifest known = plans.get(commit.id());
    if (known == null) {
      known = read(commit);
      plans.put(commit.id(), known);
    }
    return known;
  }

  private CommitManifest read(LoggedCommit commit) throws IOException, InterruptedException {
    return CommitManifest.read(context, commit.id())
        .orElseThrow(
            () ->
                new InvalidRecordException(
                    "The manifest of version "
                        + commit.version()
                        + ", "
                        + context.paths().manifest(commit.id())
                        + ", is missing; later versions cannot be worked out."));
  }

  private void requireVersion(Head head, long version) throws InvalidConfigException {
    if (version < 0 || version > head.version()) {
      throw new InvalidConfigException(
          "The table "
              + context.paths().root()
              + " has no version "
              + version
              + "; its newest is "
              + head.version()
              + ".");
    }
  }
}
