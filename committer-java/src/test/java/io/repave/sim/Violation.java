package io.repave.sim;

/**
 * Rows were lost, doubled, shown too early or too long, or a job got a wrong result. An Error,
 * because the engine counts exceptions of followers and goes on: it must not go on after this.
 */
final class Violation extends Error {
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
