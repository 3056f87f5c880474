package io.repave.sim;

/** Rows were lost, doubled, shown too early or too long, or a job got a wrong result. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int BRIEF = 150;

  Violation(String message) {
    super(message, null, false, false);
  }

  /** The beginning of the message, for one line of a report. */
  String brief() {
    return getMessage().substring(0, Math.min(BRIEF, getMessage().length()));
  }
}
