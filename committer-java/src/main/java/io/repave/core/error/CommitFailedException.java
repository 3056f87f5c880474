package io.repave.core.error;

import java.io.IOException;

/** Nothing was or will be published. The old data is untouched, and the job may run again. */
public class CommitFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public CommitFailedException(String message) {
    super(message);
  }

  public CommitFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
