package io.repave.spark.bridge;

import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import scala.runtime.AbstractPartialFunction;

/** What is done with the nodes of a plan, or of an expression, that it is for. */
public final class Rewrite<T> extends AbstractPartialFunction<T, T> {
  private final Predicate<T> isFor;
  private final UnaryOperator<T> rewrite;

  public Rewrite(Predicate<T> isFor, UnaryOperator<T> rewrite) {
    this.isFor = isFor;
    this.rewrite = rewrite;
  }

  @Override
  public boolean isDefinedAt(T node) {
    return isFor.test(node);
  }

  @Override
  public T apply(T node) {
    return rewrite.apply(node);
  }
}
