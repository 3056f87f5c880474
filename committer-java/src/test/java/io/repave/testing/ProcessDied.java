package io.repave.testing;

/**
 * The end of a simulated process. An Error, so that nothing under test has a right to catch it, and
 * without a stack trace, so that millions are cheap.
 */
public final class ProcessDied extends Error {
  private static final long serialVersionUID = 1L;

  private final String process;
  private final transient Object point;

  private ProcessDied(String process, Object point) {
    super(null, null, false, false);
    this.process = process;
    this.point = point;
  }

  /** The death of a process that is the only one in its test; {@code point} says where it died. */
  public static ProcessDied at(Object point) {
    return new ProcessDied("the process", point);
  }

  static ProcessDied atCall(String process, int number) {
    return new ProcessDied(process, number);
  }

  @Override
  public String getMessage() {
    return process + " died at " + (point instanceof Integer ? "its call " : "") + point;
  }
}
