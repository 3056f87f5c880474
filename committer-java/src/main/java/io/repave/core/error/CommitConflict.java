package io.repave.core.error;

/** Another commit changed the same partitions first. Nothing of this one was published. */
public final class CommitConflict extends CommitFailed {
  private static final long serialVersionUID = 1L;

  public CommitConflict(String message) {
    super(message);
  }
}
