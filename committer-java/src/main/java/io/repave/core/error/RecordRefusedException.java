package io.repave.core.error;

import java.io.IOException;

/**
 * A record under {@code _repave/} is missing, damaged, hostile or newer than this code, so nothing
 * was done with it.
 */
public final class RecordRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  public RecordRefusedException(String message) {
    super(message);
  }

  public RecordRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
