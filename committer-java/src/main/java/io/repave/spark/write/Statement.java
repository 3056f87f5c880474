package io.repave.spark.write;

/** What a write does, to recognize it when it is tried again. */
public interface Statement {
  boolean isSameAs(Statement other);
}
