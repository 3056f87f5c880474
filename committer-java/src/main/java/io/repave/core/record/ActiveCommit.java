package io.repave.core.record;

import java.util.List;

/**
 * A decided commit that is not finished. {@code base} is the version it started from; {@code
 * version} is 0 until it is published; {@code token} is "" when none was given. {@code
 * heartbeatMillis} is how often its process shows that it is alive, 0 if it does not. {@code
 * touched} holds folders that cover all that the commit touches, so that others need not read its
 * ledger; empty when that would take too much room.
 */
public record ActiveCommit(
    CommitId id,
    CommitKind kind,
    CommitState state,
    long base,
    long version,
    String token,
    long reservedMillis,
    long heartbeatMillis,
    List<String> touched) {
  public ActiveCommit {
    touched = List.copyOf(touched);
  }

  public ActiveCommit published(long newVersion) {
    return new ActiveCommit(
        id,
        kind,
        CommitState.CLEANING,
        base,
        newVersion,
        token,
        reservedMillis,
        heartbeatMillis,
        touched);
  }

  public ActiveCommit reverting() {
    return new ActiveCommit(
        id, kind, CommitState.REVERTING, base, 0, token, reservedMillis, heartbeatMillis, touched);
  }

  /** The same commit, of which others have to read the ledger to know what it touches. */
  public ActiveCommit withoutOutline() {
    return new ActiveCommit(
        id, kind, state, base, version, token, reservedMillis, heartbeatMillis, List.of());
  }
}
