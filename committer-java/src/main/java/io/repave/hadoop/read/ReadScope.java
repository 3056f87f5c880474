package io.repave.hadoop.read;

import java.util.Optional;

/**
 * Tells which calls of a file system belong to the same query. An engine's integration implements
 * it, and Java's ServiceLoader finds it.
 */
@FunctionalInterface
public interface ReadScope {
  /** A name for the query, or the part of a query, that this thread works for; empty if unknown. */
  Optional<String> current();
}
