package io.repave.spark.bridge;

/**
 * Throws a checked exception from a method of Spark that declares none. Spark is written in Scala
 * and does not wrap it, so users see the engine's own exception.
 */
public final class SneakyThrow {
  private SneakyThrow() {}

  /** Never returns. The return type allows {@code throw SneakyThrow.as(e)}. */
  public static RuntimeException as(Throwable failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return SneakyThrow.<RuntimeException>unchecked(failure);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E unchecked(Throwable failure) throws E {
    throw (E) failure;
  }
}
