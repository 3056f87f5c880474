package io.repave.core.error;

import java.io.IOException;

/** Another process changed the same data first. Nothing of this commit was published. */
public final class CommitConflictException extends IOException {
  private static final long serialVersionUID = 1L;

  public CommitConflictException(String message) {
    super(message);
  }
}
