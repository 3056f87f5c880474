package io.repave.hadoop.read;

import java.time.Duration;
import java.util.Optional;

/**
 * Says which calls of a file system belong to the same query. An engine's integration implements
 * it, and Java's ServiceLoader finds it.
 */
@FunctionalInterface
public interface ReadScope {
  /** The query, or the part of a query, that this thread works for; empty if unknown. */
  Optional<Query> current();

  /** A query, or a part of one, whose listings may share a look at a head for so long. */
  record Query(String name, Duration shares) {}
}
