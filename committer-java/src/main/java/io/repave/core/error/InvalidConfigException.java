package io.repave.core.error;

import java.io.IOException;

/** What was asked for cannot be done as it is set up; nothing was touched. */
public final class InvalidConfigException extends IOException {
  private static final long serialVersionUID = 1L;

  public InvalidConfigException(String message) {
    super(message);
  }
}
