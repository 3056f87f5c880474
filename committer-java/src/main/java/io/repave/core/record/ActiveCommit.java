package io.repave.core.record;

/**
 * A decided commit that is not finished. {@code base} is the version it started from; {@code
 * version} is 0 until it is published; {@code token} is "" when none was given.
 */
public record ActiveCommit(
    CommitId id,
    CommitKind kind,
    CommitState state,
    long base,
    long version,
    String token,
    long reservedMillis) {

  public ActiveCommit published(long newVersion) {
    return new ActiveCommit(
        id, kind, CommitState.CLEANING, base, newVersion, token, reservedMillis);
  }

  public ActiveCommit reverting() {
    return new ActiveCommit(id, kind, CommitState.REVERTING, base, 0, token, reservedMillis);
  }
}
