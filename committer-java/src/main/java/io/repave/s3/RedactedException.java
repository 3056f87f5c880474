package io.repave.s3;

/**
 * Replaces an exception of an SDK as a cause. It has its class name, stack trace and redacted
 * message, so that a log shows its origin without any secret that a server echoed.
 */
final class RedactedException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int DEEPEST = 8;

  private RedactedException(Throwable original, Throwable cause) {
    super(original.getClass().getName() + ": " + Redaction.of(original.getMessage()), cause);
    setStackTrace(original.getStackTrace());
  }

  static RedactedException of(Throwable original) {
    return of(original, 1);
  }

  private static RedactedException of(Throwable original, int depth) {
    Throwable cause = original.getCause();
    return new RedactedException(
        original, cause == null || depth == DEEPEST ? null : of(cause, depth + 1));
  }

  @Override
  public String toString() {
    return getMessage();
  }
}
