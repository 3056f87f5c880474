package io.repave.core.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The only record that changes; every change is a compare-and-swap. It stays small whatever the
 * table's size: it names the unfinished commits, the commits published since the last checkpoint,
 * and that checkpoint.
 *
 * @param oldestVersion versions before it can no longer be read
 * @param historyFrom the records of earlier versions were removed by vacuum, or are lost
 * @param vacuumedVersion the files replaced up to this version are deleted
 * @param fence changes whenever a commit is cancelled, by a vacuum or a revert; while it is the
 *     same, no cancellation mark needs to be looked up
 * @param checkpoint the name of a record under {@code checkpoints/}, "" when there is none
 * @param waiting a commit that others should let pass; no decision depends on it
 * @param followers pointers of other readers, which every commit brings to its version
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
    Optional<WaitingCommit> waiting,
    List<Follower> followers) {
  /** The number of commits that stay in the log after a checkpoint contains them. */
  private static final int LOG_KEPT = 32;

  public Head {
    active = List.copyOf(active);
    log = List.copyOf(log);
    followers = List.copyOf(followers);
  }

  /** The head of a table without commits. */
  public static Head first(String tableId, Readers readers) {
    return new Head(
        tableId,
        0,
        0,
        0,
        0,
        "",
        "",
        readers,
        List.of(),
        List.of(),
        0,
        "",
        Optional.empty(),
        List.of());
  }

  /** The ids of the unfinished commits. */
  public Set<String> activeIds() {
    return active.stream().map(commit -> commit.id().id()).collect(Collectors.toSet());
  }

  public Optional<ActiveCommit> active(CommitId id) {
    return active.stream().filter(commit -> commit.id().equals(id)).findFirst();
  }

  public Optional<LoggedCommit> logged(CommitId id) {
    return log.stream().filter(commit -> commit.id().equals(id)).findFirst();
  }

  public Optional<Follower> follower(FollowerKind kind) {
    return followers.stream().filter(it -> it.kind() == kind).findFirst();
  }

  /** The followers that are tables of a catalog. */
  public List<Follower> catalogs() {
    return followers.stream().filter(it -> it.kind().isCatalog()).toList();
  }

  /** True when a catalog follows the table, so a commit's files go to a folder of their own. */
  public boolean isInCatalog() {
    return !catalogs().isEmpty();
  }

  /** The newest version that all followers have; the head's version when there are none. */
  public long followedVersion() {
    return followers.stream()
        .filter(it -> !it.ending())
        .mapToLong(Follower::followed)
        .min()
        .orElse(version);
  }

  /** The same head with one more follower. */
  public Head adding(Follower follower) {
    List<Follower> more = new ArrayList<>(followers);
    more.add(follower);
    return change().followers(more).done();
  }

  /** The same head without the follower of a kind. */
  public Head without(FollowerKind kind) {
    return change().followers(followers.stream().filter(it -> it.kind() != kind).toList()).done();
  }

  /** The same head with followers that went forward; none goes back, and none is added. */
  public Head following(List<Follower> forward) {
    return forward.isEmpty()
        ? this
        : change().followers(followers.stream().map(it -> it.newest(forward)).toList()).done();
  }

  /**
   * The commit of a version; empty when the log does not reach back to it. The log always names the
   * newest version.
   */
  public Optional<LoggedCommit> published(long wanted) {
    return log.stream().filter(it -> !it.reverted() && it.version() == wanted).findFirst();
  }

  /** True when the log names another commit as the version of a published one. */
  public boolean contradicts(LoggedCommit commit) {
    return published(commit.version()).filter(it -> !it.id().equals(commit.id())).isPresent();
  }

  /** The commits published after {@code version}, oldest first. */
  public List<LoggedCommit> publishedSince(long since) {
    return log.stream().filter(commit -> commit.version() > since).toList();
  }

  /** When the newest version whose time is known was published; 0 if there is none. */
  public long lastPublishedMillis() {
    return log.stream().mapToLong(LoggedCommit::publishedMillis).max().orElse(0);
  }

  /** True when a version can be read and restored. */
  public boolean keeps(long requested) {
    return oldestVersion <= requested && requested <= version;
  }

  /**
   * True when both heads name the same checkpoint. The version alone is not enough: a vacuum or a
   * repair replaces the checkpoint of a version by another one of the same version.
   */
  public boolean hasCheckpointOf(Head other) {
    return checkpoint.equals(other.checkpoint);
  }

  /** Starts a changed copy. */
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

  /** The same head, whose log does not say any more that a commit used its token. */
  public Head withoutToken(CommitId id) {
    return change()
        .log(log.stream().map(it -> it.id().equals(id) ? it.withoutToken() : it).toList())
        .done();
  }

  /** The same head with one more commit in its log. */
  public Head logging(LoggedCommit commit) {
    List<LoggedCommit> more = new ArrayList<>(log);
    more.add(commit);
    return change().log(more).done();
  }

  /**
   * The same head, whose log has the commits since the checkpoint, the newest version, and the last
   * entries of all. The next version's time has to exceed the newest one's, however many reverts
   * follow it.
   */
  public Head withoutOldLog() {
    List<LoggedCommit> kept = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      boolean recent = i >= log.size() - LOG_KEPT;
      boolean newest = log.get(i).version() == version;
      if (recent || newest || log.get(i).version() > checkpointVersion) {
        kept.add(log.get(i));
      }
    }
    return change().log(kept).done();
  }

  /** A changed copy of a head; members that are not set keep their values. */
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
    private List<Follower> followers;

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
      followers = from.followers;
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

    public Draft followers(List<Follower> now) {
      followers = now;
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
          waiting,
          followers);
    }
  }
}
