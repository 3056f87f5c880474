package io.repave.core.record;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The one record that changes, by compare-and-swap. It stays small whatever the table's size: what
 * is being committed, what was published since the last checkpoint, where that checkpoint is.
 *
 * <p>Versions before {@code oldestVersion} can no longer be read. {@code checkpoint} is the name of
 * a record under {@code checkpoints/}, "" when there is none.
 */
public record Head(
    String tableId,
    long version,
    long oldestVersion,
    String nonce,
    Readers readers,
    List<ActiveCommit> active,
    List<LoggedCommit> log,
    long checkpointVersion,
    String checkpoint) {

  public Head {
    active = List.copyOf(active);
    log = List.copyOf(log);
  }

  /** The head of a table that nobody has committed to. */
  public static Head first(String tableId, Readers readers) {
    return new Head(tableId, 0, 0, "", readers, List.of(), List.of(), 0, "");
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

  public Head withNonce(String newNonce) {
    return new Head(
        tableId,
        version,
        oldestVersion,
        newNonce,
        readers,
        active,
        log,
        checkpointVersion,
        checkpoint);
  }

  public Head with(List<ActiveCommit> newActive) {
    return new Head(
        tableId,
        version,
        oldestVersion,
        nonce,
        readers,
        newActive,
        log,
        checkpointVersion,
        checkpoint);
  }

  public Head with(List<ActiveCommit> newActive, List<LoggedCommit> newLog) {
    return new Head(
        tableId,
        version,
        oldestVersion,
        nonce,
        readers,
        newActive,
        newLog,
        checkpointVersion,
        checkpoint);
  }

  public Head atVersion(long newVersion) {
    return new Head(
        tableId,
        newVersion,
        oldestVersion,
        nonce,
        readers,
        active,
        log,
        checkpointVersion,
        checkpoint);
  }

  public Head withCheckpoint(long newVersion, String newCheckpoint) {
    return new Head(
        tableId, version, oldestVersion, nonce, readers, active, log, newVersion, newCheckpoint);
  }

  /** The head after the files that only versions before {@code oldest} had may be deleted. */
  public Head withOldest(long oldest) {
    return new Head(
        tableId, version, oldest, nonce, readers, active, log, checkpointVersion, checkpoint);
  }
}
