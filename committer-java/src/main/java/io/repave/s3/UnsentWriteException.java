package io.repave.s3;

import java.io.IOException;

/** A write was not sent, because the request that compares before it has failed. */
final class UnsentWriteException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsentWriteException(Exception cause) {
    super(cause);
  }

  /** What the comparison has thrown. */
  Exception comparison() {
    return (Exception) getCause();
  }
}
