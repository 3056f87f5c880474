package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointIndex.FilesAt;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.FileStream.Placed;
import io.repave.core.store.Location;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Writes checkpoints, so that the size of the head and the cost of reading a version do not grow
 * with the table's history. A checkpoint of a listing table contains commits only, because nothing
 * reads its files at every commit, unless the table has followers.
 *
 * <p>Requests: without files 1 PUT and 1 GET. With files 1 GET per commit since the last checkpoint
 * and per rewritten shard, 1 PUT per shard, 1 PUT. Readers see: no change. If the process dies
 * here: no record names the written files, and vacuum deletes them.
 */
public final class CheckpointWriter {
  /** The most commits of a checkpoint that takes over the commits of the previous one. */
  private static final int COMMITS_MOST = 500;

  /** The most files of a table whose readers are worth a checkpoint four times as often. */
  private static final int FILES_FEW = 4 * Ledger.BATCH;

  private static final int SOON_EVERY_LEAST = 5;

  /** One of so many commits writes a checkpoint that is late. */
  private static final int LATE_EVERY = 5;

  /** A log that takes an eighth of the largest head; escaped texts may take six times as much. */
  private static final int LOG_CHARS_URGENT = 1 << 20;

  /** A log that takes about a quarter of the space of a head with unfinished commits. */
  private static final int LOG_CHARS_MOST = 16 << 10;

  /** The most touched folders that are in memory to find the shards without any of them. */
  private static final int FOLDERS_MOST = 100_000;

  private static final int ENTRY_CHARS = 170;
  private static final int LONG_LOG_EVERY = 20;

  private final TableContext context;
  private final CheckpointChain chain;
  private final History history;
  private final LiveFiles live;
  private final int shardSize;
  private final int foldersMost;

  public CheckpointWriter(TableContext context) {
    this(context, Ledger.BATCH, FOLDERS_MOST);
  }

  CheckpointWriter(TableContext context, int shardSize, int foldersMost) {
    this.shardSize = shardSize;
    this.foldersMost = foldersMost;
    this.context = context;
    this.chain = new CheckpointChain(context);
    this.history = new History(context);
    this.live = new LiveFiles(context);
  }

  /**
   * Writes a checkpoint if one is due at a head in which the commit of a version was published;
   * returns its name. Of several commits published after that point, one writes it.
   */
  public Optional<String> writeIfDue(Head head, long published)
      throws IOException, InterruptedException {
    int every = every(head);
    if (isDue(head, published, every)) {
      return Optional.of(write(head));
    }
    int soon = Math.min(every, Math.max(SOON_EVERY_LEAST, every / 4));
    return head.readers() == Readers.SNAPSHOT && isDue(head, published, soon) && hasFewFiles(head)
        ? Optional.of(writeFiles(head))
        : Optional.empty();
  }

  /**
   * A head with a long log has no space for many unfinished commits (HeadSpace), and every commit
   * reads and writes it several times. So its checkpoints come sooner than the setting says.
   */
  private int every(Head head) {
    int wanted = context.settings().checkpointEvery();
    return logChars(head) > LOG_CHARS_MOST ? Math.min(wanted, LONG_LOG_EVERY) : wanted;
  }

  /** About how much space the log takes. */
  private static long logChars(Head head) {
    long chars = 0;
    for (LoggedCommit commit : head.log()) {
      chars += ENTRY_CHARS + commit.token().length();
      chars += commit.touched().stream().mapToInt(String::length).sum();
    }
    return chars;
  }

  /** Writes a checkpoint of a head's version, as its readers need it; returns its name. */
  public String write(Head head) throws IOException, InterruptedException {
    return head.readers() == Readers.LISTING ? writeListing(head) : writeFiles(head);
  }

  private static boolean isDue(Head head, long published, int every) {
    long since = head.version() - head.checkpointVersion();
    if (since >= every && published % every == 0) {
      return true;
    }
    // If it takes long, or fails, not every later commit tries as well, until it is urgent: a full
    // head lets a commit in because this commit's end writes a checkpoint (NextHead).
    return since >= 3L * every
        && (published % LATE_EVERY == 0 || logChars(head) > LOG_CHARS_URGENT);
  }

  /**
   * True for a snapshot table whose checkpoint is small enough to be written in a moment. A reader
   * reads the manifest of each commit since the checkpoint, so it should have few of them to read.
   * A large checkpoint costs a commit more than it saves the readers.
   */
  private boolean hasFewFiles(Head head) throws IOException, InterruptedException {
    long files = 0;
    for (CheckpointShard shard :
        chain.newest(head).map(CheckpointIndex::shards).orElse(List.of())) {
      files += shard.files();
    }
    if (files > FILES_FEW) {
      return false;
    }
    long[] all = {files};
    return live.eachManifest(
        history.publishedSince(head, head.checkpointVersion()),
        index -> {
          all[0] += index.totals().filesIn() + index.totals().adopted();
          return all[0] <= FILES_FEW;
        });
  }

  /** Followers read the files of a version, so the checkpoint of a followed table has them. */
  private String writeListing(Head head) throws IOException, InterruptedException {
    if (!head.followers().isEmpty()) {
      try {
        return writeFiles(head);
      } catch (InvalidRecordException lost) {
        // No commit of a listing table needs its files. The head must not grow because of them.
        context.ports().progress().noCheckpoint(lost.getMessage());
      }
    }
    return writeCommits(head);
  }

  private String writeCommits(Head head) throws IOException, InterruptedException {
    List<LoggedCommit> commits = history.publishedSince(head, head.checkpointVersion());
    Optional<CheckpointIndex> before = chain.newest(head);
    FilesAt files = before.isEmpty() ? FilesAt.NOWHERE : named(head, before.get());
    boolean grows =
        before.isPresent()
            && !before.get().hasFiles()
            && before.get().commits().size() + commits.size() <= COMMITS_MOST;
    if (grows) {
      CheckpointIndex last = before.get();
      List<LoggedCommit> all = new ArrayList<>(last.commits());
      all.addAll(commits);
      return put(
          name(head),
          new CheckpointIndex(
              head.version(), last.previous(), last.previousVersion(), List.of(), all, files));
    }
    return put(name(head), following(head, List.of(), files));
  }

  /** Where the newest files are recorded, as the next checkpoint names it. */
  private FilesAt named(Head head, CheckpointIndex before)
      throws IOException, InterruptedException {
    FilesAt files = chain.files(head, before);
    boolean here = files.checkpoint().isEmpty() && files.version() == before.version();
    return here ? new FilesAt(head.checkpoint(), files.version()) : files;
  }

  /** A checkpoint that no head names yet. */
  public record Written(String name, CheckpointIndex index) {}

  /** Writes a checkpoint with the live files of a head's version; returns its name. */
  public String writeFiles(Head head) throws IOException, InterruptedException {
    return withFiles(head).name();
  }

  /** The same, for a caller that may have to write one of a later head. */
  public Written withFiles(Head head) throws IOException, InterruptedException {
    CheckpointIndex before = chain.filesBefore(head, head.version());
    List<LoggedCommit> commits = history.publishedSince(head, before.version());
    return write(head, commits, new KeptShards(before.shards(), touched(commits), shardSize));
  }

  /**
   * The same for a later head, from a checkpoint that no head names: only the commits since are
   * read. It takes over no shard, because another vacuum deletes those of such a checkpoint.
   */
  public Written withFiles(Head head, Written earlier) throws IOException, InterruptedException {
    CheckpointIndex before = earlier.index();
    if (chain.filesBefore(head, head.version()).version() >= before.version()) {
      // A repair has recorded other files since, or a commit of a table with followers the same.
      return withFiles(head);
    }
    return write(
        head,
        history.publishedSince(head, before.version()),
        new KeptShards(before.shards(), Footprint.EVERYTHING, shardSize));
  }

  private Written write(Head head, List<LoggedCommit> commits, KeptShards shards)
      throws IOException, InterruptedException {
    String name = name(head);
    ShardWriter writer = new ShardWriter(context, name, shardSize);
    Iterator<CheckpointShard> kept = shards.kept().iterator();
    CheckpointShard next = kept.hasNext() ? kept.next() : null;
    try (LiveFiles.Open files = live.changed(shards.rewritten(), commits, Footprint.EVERYTHING)) {
      for (Optional<Placed> file = files.next(); file.isPresent(); file = files.next()) {
        String partition = file.get().partition();
        // No partition is in a kept shard and in a rewritten shard.
        while (next != null && Utf8Order.compare(next.first(), partition) < 0) {
          writer.keep(next);
          next = kept.hasNext() ? kept.next() : null;
        }
        writer.add(partition, file.get().file());
      }
    }
    for (; next != null; next = kept.hasNext() ? kept.next() : null) {
      writer.keep(next);
    }
    writer.flush();
    CheckpointIndex index = following(head, writer.shards(), here(head));
    return new Written(put(name, index), index);
  }

  private static FilesAt here(Head head) {
    return new FilesAt("", head.version());
  }

  /** A checkpoint that follows the head's checkpoint, or replaces it if it has the same version. */
  private CheckpointIndex following(Head head, List<CheckpointShard> shards, FilesAt files)
      throws IOException, InterruptedException {
    Optional<CheckpointIndex> same =
        head.checkpointVersion() == head.version() ? chain.newest(head) : Optional.empty();
    if (same.isPresent()) {
      CheckpointIndex last = same.get();
      return new CheckpointIndex(
          head.version(), last.previous(), last.previousVersion(), shards, last.commits(), files);
    }
    return new CheckpointIndex(
        head.version(),
        head.checkpoint(),
        head.checkpointVersion(),
        shards,
        history.publishedSince(head, head.checkpointVersion()),
        files);
  }

  /**
   * Writes a checkpoint of a head's version with files that come from a listing, not from the
   * records; returns its name. It keeps the earlier history as far as it can be read.
   */
  public String rebuild(Head head, FileStream files) throws IOException, InterruptedException {
    String name = name(head);
    ShardWriter writer = new ShardWriter(context, name, shardSize);
    files.each(writer::add);
    writer.flush();
    return put(
        name,
        isReadable(head)
            ? following(head, writer.shards(), here(head))
            : new CheckpointIndex(
                head.version(), "", 0, writer.shards(), head.publishedSince(0), here(head)));
  }

  /** True when all records of the head's history can be read. */
  public boolean isReadable(Head head) throws IOException, InterruptedException {
    try {
      history.known(head);
      return true;
    } catch (InvalidRecordException damaged) {
      return false;
    }
  }

  /** The folders whose files some commits may have changed; everything if they are very many. */
  private Footprint touched(List<LoggedCommit> commits) throws IOException, InterruptedException {
    boolean anywhere =
        commits.stream().map(LoggedCommit::kind).anyMatch(CommitKind::isOfWholeTable);
    if (anywhere || commits.size() > LiveFiles.COMMITS_AT_ONCE) {
      return Footprint.EVERYTHING;
    }
    List<String> folders = new ArrayList<>();
    boolean areFew =
        live.eachManifest(
            commits,
            index -> {
              folders.addAll(index.touched());
              folders.addAll(index.scope());
              return folders.size() <= foldersMost;
            });
    return areFew ? Footprint.of(folders) : Footprint.EVERYTHING;
  }

  private String name(Head head) {
    return String.format(Locale.ROOT, "%012d-%s", head.version(), context.ports().nonces().get());
  }

  private String put(String name, CheckpointIndex index) throws IOException, InterruptedException {
    String file = name + ".json.gz";
    Location at = context.paths().checkpoint(file);
    byte[] content = CheckpointJson.writeIndex(index);
    // A head that names an unreadable record makes the table unusable.
    CheckpointJson.readIndex(content, at.toString());
    context.records().put(at, content);
    return file;
  }
}
