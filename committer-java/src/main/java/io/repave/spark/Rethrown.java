package io.repave.spark;

/**
 * Lets a checked exception through a method of Spark's that declares none. Spark, written in Scala,
 * passes it on as it is, so that users see the engine's own sentence and type.
 */
final class Rethrown {
  private Rethrown() {}

  /** Never returns; the type serves {@code throw Rethrown.as(e)}. */
  static RuntimeException as(Throwable failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return Rethrown.<RuntimeException>unchecked(failure);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E unchecked(Throwable failure) throws E {
    throw (E) failure;
  }
}
