package io.repave.hadoop.read;

import java.time.Duration;
import java.util.Optional;

/**
 * Says which calls of a thread belong to the same query. An engine's integration implements it, and
 * Java's ServiceLoader finds it.
 */
@FunctionalInterface
public interface ReadScope {
  /** The query, or the part of a query, that this thread works for; empty if unknown. */
  Optional<Query> current();

  /**
   * Whether this thread looks for new files of a stream. The stream recognizes a file that it has
   * read by its path.
   */
  default boolean isStream() {
    return false;
  }

  /** The execution of a stream's batch that this thread works for, as records name it; or "". */
  default String batch() {
    return "";
  }

  /**
   * A query, or a part of one, whose listings may share a look at a head for so long.
   *
   * @param work the user's action that the query belongs to; its other queries may write
   */
  record Query(String name, String work, Duration shares) {}
}
