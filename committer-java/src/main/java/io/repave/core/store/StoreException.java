package io.repave.core.store;

import java.io.IOException;

/** A store call that did not succeed, and what is known of its effect. */
public final class StoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What is known of the request's effect. */
  public enum Kind {
    /** A condition did not hold (412, 409). It may be this caller's own first try: read back. */
    REFUSED,
    /**
     * The upload, or the bucket, is not there (404). A consumed upload looks the same: read back.
     */
    ABSENT,
    /** The caller may not do this (401, 403): not applied, and no retry helps. */
    DENIED,
    /** The request is wrong in itself (other 4xx): not applied, and no retry helps. */
    INVALID,
    /** Anything else: time-outs, resets, 5xx, 503, an error inside a 200. Applied or not. */
    UNKNOWN
  }

  private final Kind kind;

  public StoreException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public StoreException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
