package io.repave.s3;

import java.io.IOException;

/** A write was not applied and will not be: it was not sent, or the store was too busy for it. */
final class UnappliedWriteException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String before;

  private UnappliedWriteException(String before, Exception cause) {
    super(cause);
    this.before = before;
  }

  /** The request that compares before the write has failed. */
  static UnappliedWriteException comparison(Exception cause) {
    return new UnappliedWriteException("The HEAD before ", cause);
  }

  /** The store answered 429 to the write. */
  static UnappliedWriteException busy(RuntimeException cause) {
    return new UnappliedWriteException("", cause);
  }

  /** What failed, for a write of this name. */
  String request(String write) {
    return before + write;
  }

  Exception failure() {
    return (Exception) getCause();
  }
}
