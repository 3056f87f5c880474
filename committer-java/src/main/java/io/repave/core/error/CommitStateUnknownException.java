package io.repave.core.error;

import java.io.IOException;

/**
 * The commit is or may be decided, so nobody may clean up after it. The message names the command
 * that finishes the commit and says how to learn whether its rows arrived. {@link CommitErrors} has
 * its texts; docs/operations.md, "Did the rows arrive?", has the procedure.
 */
public final class CommitStateUnknownException extends IOException {
  private static final long serialVersionUID = 1L;

  public CommitStateUnknownException(String message) {
    super(message);
  }

  public CommitStateUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
