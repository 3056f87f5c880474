package io.repave.testing;

/**
 * The end of a simulated process. An Error, so that nothing under test has a right to catch it, and
 * without a stack trace, so that millions are cheap.
 */
public final class ProcessDied extends Error {
  private static final long serialVersionUID = 1L;

  private final String process;
  private final int call;

  ProcessDied(String process, int call) {
    super(null, null, false, false);
    this.process = process;
    this.call = call;
  }

  @Override
  public String getMessage() {
    return process + " died at its call " + call;
  }
}
