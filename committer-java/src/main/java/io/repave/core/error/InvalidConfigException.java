package io.repave.core.error;

import java.io.IOException;

/** The request does not fit the settings or the table. Nothing was changed. */
public final class InvalidConfigException extends IOException {
  private static final long serialVersionUID = 1L;

  public InvalidConfigException(String message) {
    super(message);
  }
}
