package io.repave.spark.monitor;

import io.repave.core.engine.CountedStore.Request;
import io.repave.core.record.CommitKind;
import java.util.EnumMap;
import java.util.Map;

/**
 * What one of Spark's writes asks of the store before its transaction begins and after its report
 * is written. No record contains these requests, but their number is fixed, except that a write to
 * the path of a partition looks for the log in the folders above it too.
 *
 * <p>Before: one LIST for the log of a streaming sink, and Spark's own looks at the folder that it
 * overwrites, of one HEAD and one LIST each. After: one listing of open uploads.
 */
final class SurroundingRequests {
  private SurroundingRequests() {}

  static Map<Request, Long> of(CommitKind kind) {
    return switch (kind) {
      case APPEND -> requests(0);
      case DYNAMIC -> requests(1);
      // Spark looks once more before it asks for the deletion of the old files.
      case STATIC -> requests(2);
      case ROLLBACK, ADOPT -> Map.of();
    };
  }

  private static Map<Request, Long> requests(long looks) {
    Map<Request, Long> found = new EnumMap<>(Request.class);
    if (looks > 0) {
      found.put(Request.HEAD, looks);
    }
    found.put(Request.LIST, 1 + looks);
    found.put(Request.LIST_UPLOADS, 1L);
    return found;
  }
}
