package io.repave.core.error;

import java.io.IOException;

/**
 * The commit is decided, or may be: nobody may clean up after it. The message names the record that
 * tells, and the command that finishes it.
 */
public final class CommitStateUnknownException extends IOException {
  private static final long serialVersionUID = 1L;

  public CommitStateUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
