package io.repave.core.record;

import java.util.List;

/**
 * A commit that is not reserved yet and asks others to let it pass, because they kept overtaking
 * it. {@code touched} holds folders that cover everything it touches; empty means that it touches
 * everything.
 */
public record WaitingCommit(CommitId id, List<String> touched) {
  public WaitingCommit {
    touched = List.copyOf(touched);
  }
}
