package io.repave.core.error;

/** The cause of an error as part of another message. */
final class Cause {
  private Cause() {}

  /** The message of a cause, without the full stop at its end. */
  static String of(Throwable cause) {
    if (cause instanceof InterruptedException) {
      return "the process was interrupted";
    }
    String message = cause.getMessage();
    if (message == null || message.isBlank()) {
      return cause.getClass().getSimpleName();
    }
    return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
  }
}
