package io.repave.core.error;

/** Another process changed the same data first. Nothing of this commit was published. */
public final class CommitConflictException extends CommitFailedException {
  private static final long serialVersionUID = 1L;

  public CommitConflictException(String message) {
    super(message);
  }
}
