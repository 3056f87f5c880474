package io.repave.core.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The one record that changes, by compare-and-swap. It stays small whatever the table's size: what
 * is being committed, what was published since the last checkpoint, where that checkpoint is.
 *
 * <p>Versions before {@code oldestVersion} can no longer be read. Of versions before {@code
 * historyFrom} nothing is known: vacuum removed their records, or they were lost. What was replaced
 * up to {@code vacuumedVersion} is gone. {@code fence} is new whenever a commit was refused (a
 * vacuum, a revert): while it is the same, no mark of a refused commit has to be looked for. {@code
 * checkpoint} is the name of a record under {@code checkpoints/}, "" when there is none. {@code
 * waiting} is a commit that others should let pass; no decision depends on it.
 */
public record Head(
    String tableId,
    long version,
    long oldestVersion,
    long historyFrom,
    long vacuumedVersion,
    String nonce,
    String fence,
    Readers readers,
    List<ActiveCommit> active,
    List<LoggedCommit> log,
    long checkpointVersion,
    String checkpoint,
    Optional<WaitingCommit> waiting) {

  public Head {
    active = List.copyOf(active);
    log = List.copyOf(log);
  }

  /** The head of a table that nobody has committed to. */
  public static Head first(String tableId, Readers readers) {
    return new Head(
        tableId, 0, 0, 0, 0, "", "", readers, List.of(), List.of(), 0, "", Optional.empty());
  }

  /** The ids of the commits that are not finished. */
  public Set<String> activeIds() {
    return active.stream().map(commit -> commit.id().id()).collect(Collectors.toSet());
  }

  public Optional<ActiveCommit> active(CommitId id) {
    return active.stream().filter(commit -> commit.id().equals(id)).findFirst();
  }

  public Optional<LoggedCommit> logged(CommitId id) {
    return log.stream().filter(commit -> commit.id().equals(id)).findFirst();
  }

  /** The commits published after {@code version}, oldest first. */
  public List<LoggedCommit> publishedSince(long since) {
    return log.stream().filter(commit -> commit.version() > since).toList();
  }

  /** True when a version can be read and brought back. */
  public boolean keeps(long asked) {
    return oldestVersion <= asked && asked <= version;
  }

  /**
   * True when both name the same checkpoint. The version alone does not tell: a vacuum and a repair
   * replace the checkpoint of a version by another of that version.
   */
  public boolean hasCheckpointOf(Head other) {
    return checkpoint.equals(other.checkpoint);
  }

  /** For messages, of a version that is not kept. */
  public String without(long asked) {
    return "has the versions "
        + oldestVersion
        + " to "
        + version
        + "; "
        + asked
        + " is not among them.";
  }

  /** A copy to be changed. */
  public Draft change() {
    return new Draft(this);
  }

  /** The same head with one more unfinished commit. */
  public Head adding(ActiveCommit commit) {
    List<ActiveCommit> more = new ArrayList<>(active);
    more.add(commit);
    return change().active(more).done();
  }

  /** The same head with a newer entry of an unfinished commit. */
  public Head replacing(ActiveCommit commit) {
    return change()
        .active(active.stream().map(it -> it.id().equals(commit.id()) ? commit : it).toList())
        .done();
  }

  /** The same head without an unfinished commit. */
  public Head without(CommitId id) {
    return change().active(active.stream().filter(it -> !it.id().equals(id)).toList()).done();
  }

  /** The same head with one more commit in its log. */
  public Head logging(LoggedCommit commit) {
    List<LoggedCommit> more = new ArrayList<>(log);
    more.add(commit);
    return change().log(more).done();
  }

  /** The members of the next head; those that are not set stay as they were. */
  public static final class Draft {
    private final Head from;
    private long version;
    private long oldestVersion;
    private long historyFrom;
    private long vacuumedVersion;
    private String nonce;
    private String fence;
    private List<ActiveCommit> active;
    private List<LoggedCommit> log;
    private long checkpointVersion;
    private String checkpoint;
    private Optional<WaitingCommit> waiting;

    private Draft(Head from) {
      this.from = from;
      version = from.version;
      oldestVersion = from.oldestVersion;
      historyFrom = from.historyFrom;
      vacuumedVersion = from.vacuumedVersion;
      nonce = from.nonce;
      fence = from.fence;
      active = from.active;
      log = from.log;
      checkpointVersion = from.checkpointVersion;
      checkpoint = from.checkpoint;
      waiting = from.waiting;
    }

    public Draft version(long now) {
      version = now;
      return this;
    }

    public Draft oldestVersion(long now) {
      oldestVersion = now;
      return this;
    }

    public Draft historyFrom(long now) {
      historyFrom = now;
      return this;
    }

    public Draft vacuumedVersion(long now) {
      vacuumedVersion = now;
      return this;
    }

    public Draft nonce(String now) {
      nonce = now;
      return this;
    }

    public Draft fence(String now) {
      fence = now;
      return this;
    }

    public Draft active(List<ActiveCommit> now) {
      active = now;
      return this;
    }

    public Draft log(List<LoggedCommit> now) {
      log = now;
      return this;
    }

    public Draft checkpoint(long nowVersion, String now) {
      checkpointVersion = nowVersion;
      checkpoint = now;
      return this;
    }

    public Draft waiting(Optional<WaitingCommit> now) {
      waiting = now;
      return this;
    }

    public Head done() {
      return new Head(
          from.tableId,
          version,
          oldestVersion,
          historyFrom,
          vacuumedVersion,
          nonce,
          fence,
          from.readers,
          active,
          log,
          checkpointVersion,
          checkpoint,
          waiting);
    }
  }
}
