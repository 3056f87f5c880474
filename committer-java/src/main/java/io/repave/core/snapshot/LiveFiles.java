package io.repave.core.snapshot;

import io.repave.core.engine.BoundedMap;
import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.RecordErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.ManifestIndex;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The live files of a version: the files of the newest checkpoint before it, changed by the commits
 * since. They come sorted and are never all in memory.
 *
 * <p>Requests: 1 GET per checkpoint shard that has a wanted partition; 1 GET per commit since the
 * checkpoint that may have changed a wanted partition, and 1 GET per shard of its manifest that has
 * one.
 */
public final class LiveFiles {
  /** The number of manifests read at a time. */
  static final int COMMITS_AT_ONCE = 32;

  /**
   * About how many files of manifests are in memory at a time. When there are more, all files so
   * far go to a temporary file, which the next ones are merged into. So few of these files are
   * written, even for very many small commits.
   */
  private static final long FILES_AT_ONCE = 100_000;

  /** The number of manifests read at a time by a caller that may not need all of them. */
  private static final int INDEXES_AT_ONCE = 8;

  private static final long FILES_LEAST = 10;

  private static final long SCHEMA_CHARS_OF_A_FILE = 500;

  private final TableContext context;
  private final int commitsAtOnce;
  private final long filesAtOnce;
  private final CheckpointChain chain;
  private final History history;
  private final Map<CommitId, CommitManifest> manifests = BoundedMap.ofNewest(COMMITS_AT_ONCE);

  public LiveFiles(TableContext context) {
    this(context, COMMITS_AT_ONCE, FILES_AT_ONCE);
  }

  LiveFiles(TableContext context, int commitsAtOnce, long filesAtOnce) {
    this.commitsAtOnce = commitsAtOnce;
    this.filesAtOnce = filesAtOnce;
    this.context = context;
    this.chain = new CheckpointChain(context);
    this.history = new History(context);
  }

  /** A stream of files with the resources that it has open. */
  public static final class Open implements FileStream, AutoCloseable {
    private final List<AutoCloseable> resources = new ArrayList<>();
    private FileStream files = FileStream.EMPTY;

    <T extends AutoCloseable> T keep(T resource) {
      resources.add(resource);
      return resource;
    }

    /** Goes on from a temporary file, which has all that the resources so far were needed for. */
    private void continueFrom(SortedRun run) throws IOException {
      try {
        close();
      } finally {
        keep(run);
      }
      files = run.files();
    }

    @Override
    public Optional<Placed> next() throws IOException, InterruptedException {
      return files.next();
    }

    @Override
    public void close() throws IOException {
      List<AutoCloseable> all = List.copyOf(resources);
      resources.clear();
      for (AutoCloseable resource : all) {
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

  /** The last version, not after {@code version}, whose files a checkpoint has; 0 if none. */
  public long recordedAt(Head head, long version) throws IOException, InterruptedException {
    return chain.filesBefore(head, version).version();
  }

  /** All live files of a version. */
  public Open all(Head head, long version) throws IOException, InterruptedException {
    return covered(head, version, Footprint.EVERYTHING);
  }

  /** The live files in the partitions that a footprint covers. */
  public Open covered(Head head, long version, Footprint wanted)
      throws IOException, InterruptedException {
    requireVersion(head, version);
    if (wanted.isEmpty()) {
      return new Open();
    }
    CheckpointIndex checkpoint = chain.filesBefore(head, version);
    List<LoggedCommit> commits =
        history.publishedSince(head, checkpoint.version()).stream()
            .filter(commit -> commit.version() <= version && mayChange(commit, wanted))
            .toList();
    return changed(checkpoint.shards(), commits, wanted);
  }

  /**
   * What is live of the files of a published commit, among files of other commits in the same
   * partitions. On a table whose checkpoints have no files, it reads nothing from before the
   * commit.
   */
  public Open leftOf(LoggedCommit commit, Head head, Footprint wanted)
      throws IOException, InterruptedException {
    CheckpointIndex checkpoint = chain.filesBefore(head, head.version());
    boolean isInCheckpoint = checkpoint.version() >= commit.version();
    long since = isInCheckpoint ? checkpoint.version() : commit.version() - 1;
    List<LoggedCommit> commits =
        history.publishedSince(head, since).stream()
            .filter(it -> it.version() == commit.version() || it.kind() != CommitKind.APPEND)
            .filter(it -> mayChange(it, wanted))
            .toList();
    return changed(isInCheckpoint ? checkpoint.shards() : List.of(), commits, wanted);
  }

  /** An adoption removes files from partitions outside the table, which its outline lacks. */
  public static boolean mayChange(LoggedCommit commit, Footprint wanted) {
    return commit.kind() == CommitKind.ADOPT || wanted.mayOverlap(commit.touched());
  }

  /** The wanted files of some shards after the changes of some commits. */
  Open changed(List<CheckpointShard> shards, List<LoggedCommit> commits, Footprint wanted)
      throws IOException, InterruptedException {
    Open open = new Open();
    try {
      FileStream recorded = open.keep(new CheckpointFiles(context, wanted)).of(shards);
      open.files = changed(recorded, commits, wanted, open);
      return open;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      open.close();
      throw e;
    }
  }

  private FileStream changed(
      FileStream recorded, List<LoggedCommit> commits, Footprint wanted, Open open)
      throws IOException, InterruptedException {
    // Also without commits: it refuses files out of order, and passes a repeated file on once.
    ChangedFiles changed = new ChangedFiles(recorded);
    long inMemory = 0;
    for (int from = 0; from < commits.size(); from += commitsAtOnce) {
      if (inMemory >= filesAtOnce) {
        open.continueFrom(SortedRun.of(context.ports().scratch(), changed.files()));
        changed = new ChangedFiles(open.files);
        inMemory = 0;
      }
      List<LoggedCommit> next =
          commits.subList(from, Math.min(commits.size(), from + commitsAtOnce));
      readAhead(next);
      for (LoggedCommit commit : next) {
        CommitManifest manifest = manifest(commit);
        changed.then(manifest.index(), open.keep(new ManifestFiles(context, manifest, wanted)));
        inMemory += inMemory(manifest);
      }
    }
    return changed.files();
  }

  /**
   * How many files a manifest counts for. One with shards has one of them in memory at a time. Each
   * has schemas of its own, and bounds of columns, which may take more memory than its files.
   */
  private static long inMemory(CommitManifest manifest) {
    FileTotals totals = manifest.index().totals();
    long files = totals.filesIn() + totals.adopted() + totals.filesOut();
    long most = Math.min(files, FILES_AT_ONCE / COMMITS_AT_ONCE);
    long schemas = manifest.schemaChars() / SCHEMA_CHARS_OF_A_FILE;
    return Math.max(FILES_LEAST, most + schemas + manifest.columns());
  }

  /** The manifest of a published commit, which must exist. */
  public CommitManifest manifest(LoggedCommit commit) throws IOException, InterruptedException {
    CommitManifest known = manifests.get(commit.id());
    if (known == null) {
      known = read(commit);
      manifests.put(commit.id(), known);
    }
    return known;
  }

  /** The same, without a request for a manifest that the caller has. */
  public CommitManifest manifest(LoggedCommit commit, Optional<CommitManifest> own)
      throws IOException, InterruptedException {
    return own.isPresent() && own.get().index().id().equals(commit.id())
        ? own.get()
        : manifest(commit);
  }

  /**
   * Passes on the manifests of some commits until one is the last that is wanted; false if so. Few
   * of them are in memory when it stops.
   */
  boolean eachManifest(List<LoggedCommit> commits, Predicate<ManifestIndex> wantsMore)
      throws IOException, InterruptedException {
    for (int from = 0; from < commits.size(); from += INDEXES_AT_ONCE) {
      List<LoggedCommit> next =
          commits.subList(from, Math.min(commits.size(), from + INDEXES_AT_ONCE));
      readAhead(next);
      for (LoggedCommit commit : next) {
        if (!wantsMore.test(manifest(commit).index())) {
          return false;
        }
      }
    }
    return true;
  }

  /** Reads the manifests of some commits in parallel, of which the last ones stay in memory. */
  void readAhead(List<LoggedCommit> commits) throws IOException, InterruptedException {
    Map<CommitId, CommitManifest> read = new ConcurrentHashMap<>();
    List<LoggedCommit> unknown =
        commits.stream().filter(commit -> !manifests.containsKey(commit.id())).toList();
    context.runner().each(unknown.iterator(), commit -> read.put(commit.id(), read(commit)));
    manifests.putAll(read);
  }

  private CommitManifest read(LoggedCommit commit) throws IOException, InterruptedException {
    Location at = context.paths().manifest(commit.id());
    CommitManifest manifest =
        CommitManifest.read(context, commit.id())
            .orElseThrow(() -> RecordErrors.missingManifest(commit.version(), at));
    if (manifest.index().kind() != commit.kind()) {
      throw RecordErrors.manifestOfAnotherKind(at);
    }
    return manifest;
  }

  private void requireVersion(Head head, long version) throws InvalidConfigException {
    if (version < 0 || version > head.version()) {
      throw UsageErrors.noVersion(context.paths().root(), version, head.version());
    }
  }
}
