package io.repave.core.error;

/** Another commit changed the same partitions first. Nothing of this one was published. */
public final class CommitConflictException extends CommitFailedException {
  private static final long serialVersionUID = 1L;

  public CommitConflictException(String message) {
    super(message);
  }
}
