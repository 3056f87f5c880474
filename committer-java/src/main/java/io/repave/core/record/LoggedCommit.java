package io.repave.core.record;

import java.util.List;

/**
 * A commit that has ended: it was published as {@code version}, or reverted, which has version 0.
 * {@code touched} holds folders that cover everything the commit touched; empty when they are not
 * known.
 */
public record LoggedCommit(
    CommitId id, CommitKind kind, long version, String token, List<String> touched) {
  public LoggedCommit {
    touched = List.copyOf(touched);
  }

  public boolean reverted() {
    return version == 0;
  }
}
