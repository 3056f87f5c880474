package io.repave.core.error;

import java.io.IOException;

/** What was asked for cannot be done as it is set up; nothing was touched. */
public final class InvalidConfig extends IOException {
  private static final long serialVersionUID = 1L;

  public InvalidConfig(String message) {
    super(message);
  }
}
