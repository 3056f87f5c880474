package io.repave.core.record;

/** A commit that is over: published as {@code version}, or reverted, which has version 0. */
public record LoggedCommit(CommitId id, CommitKind kind, long version, String token) {
  public boolean reverted() {
    return version == 0;
  }
}
