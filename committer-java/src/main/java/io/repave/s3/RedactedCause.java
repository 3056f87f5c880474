package io.repave.s3;

/**
 * Stands for an SDK's exception as a cause: its class, trace and redacted message, so that a log of
 * the whole chain shows where it came from and no secret that a server echoed.
 */
final class RedactedCause extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int DEEPEST = 8;

  private RedactedCause(Throwable original, Throwable cause) {
    super(original.getClass().getName() + ": " + Redaction.of(original.getMessage()), cause);
    setStackTrace(original.getStackTrace());
  }

  static RedactedCause of(Throwable original) {
    return of(original, 1);
  }

  private static RedactedCause of(Throwable original, int depth) {
    Throwable cause = original.getCause();
    return new RedactedCause(
        original, cause == null || depth == DEEPEST ? null : of(cause, depth + 1));
  }

  @Override
  public String toString() {
    return getMessage();
  }
}
