package io.repave.core.error;

import java.io.IOException;

/** Nothing was published and nothing will be: the old data is untouched, the job may run again. */
public class CommitFailed extends IOException {
  private static final long serialVersionUID = 1L;

  public CommitFailed(String message) {
    super(message);
  }

  public CommitFailed(String message, Throwable cause) {
    super(message, cause);
  }
}
