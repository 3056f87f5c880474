package io.repave.core.error;

import java.io.IOException;

/**
 * A record under {@code _repave/} is missing, damaged, hostile or newer than this code, so nothing
 * was done with it.
 */
public final class InvalidRecordException extends IOException {
  private static final long serialVersionUID = 1L;

  public InvalidRecordException(String message) {
    super(message);
  }

  public InvalidRecordException(String message, Throwable cause) {
    super(message, cause);
  }
}
