package io.repave.core.engine;

/**
 * Tells whether the engine has stopped the statement of a job. An interrupt tells only the thread
 * that waits for the job, and an engine may run the job in another one.
 */
@FunctionalInterface
public interface StopSignal {
  StopSignal NEVER = () -> false;

  /** Once true, it stays true. Several threads call it; it must not block or throw. */
  boolean isGiven();
}
