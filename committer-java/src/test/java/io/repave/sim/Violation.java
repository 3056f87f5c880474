package io.repave.sim;

/** Rows were lost, doubled, shown too early or too long, or a job got a wrong result. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Violation(String message) {
    super(message, null, false, false);
  }
}
