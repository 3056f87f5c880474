package io.repave.core.record;

import java.util.List;

/**
 * A commit that has ended: it was published as {@code version}, or reverted, which has version 0.
 * {@code touched} holds folders that cover everything the commit touched; empty when they are not
 * known. {@code publishedMillis} increases from version to version; 0 when it is not known, as in
 * records of version 0.1.
 */
public record LoggedCommit(
    CommitId id,
    CommitKind kind,
    long version,
    String token,
    List<String> touched,
    long publishedMillis) {
  public LoggedCommit {
    touched = List.copyOf(touched);
  }

  /** A commit whose time of publication is not known. */
  public LoggedCommit(
      CommitId id, CommitKind kind, long version, String token, List<String> touched) {
    this(id, kind, version, token, touched, 0);
  }

  public LoggedCommit withoutToken() {
    return new LoggedCommit(id, kind, version, "", touched, publishedMillis);
  }

  public boolean reverted() {
    return version == 0;
  }
}
