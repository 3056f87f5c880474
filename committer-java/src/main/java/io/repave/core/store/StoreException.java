package io.repave.core.store;

import java.io.IOException;

/** A failed call of a store, and what is known of its effect. */
public final class StoreException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What is known of the request's effect. */
  public enum Kind {
    /**
     * A condition was not met (412, or 409 to a conditional request). The caller's own earlier try
     * may be why: read back.
     */
    REFUSED,
    /**
     * The upload or the bucket does not exist (404). A completed upload gives the same answer: read
     * back.
     */
    ABSENT,
    /** The caller has no permission (401, 403): not applied, and a retry does not help. */
    DENIED,
    /**
     * The request itself is wrong (other 4xx), or the object is archived: not applied, and a retry
     * does not help.
     */
    INVALID,
    /** Anything else: time-outs, resets, 5xx, other 409, an error inside a 200. Applied or not. */
    UNKNOWN
  }

  private final Kind kind;
  private final boolean unapplied;

  public StoreException(Kind kind, String message) {
    this(kind, message, null);
  }

  public StoreException(Kind kind, String message, Throwable cause) {
    this(kind, message, cause, false);
  }

  private StoreException(Kind kind, String message, Throwable cause, boolean unapplied) {
    super(message, cause);
    this.kind = kind;
    this.unapplied = unapplied;
  }

  /** The same failure of a write that was not applied and cannot be applied later. */
  public StoreException unapplied() {
    return new StoreException(kind, getMessage(), getCause(), true);
  }

  /** True if it is known that the write was not applied and cannot be applied later. */
  public boolean isUnapplied() {
    return unapplied;
  }

  public Kind kind() {
    return kind;
  }
}
