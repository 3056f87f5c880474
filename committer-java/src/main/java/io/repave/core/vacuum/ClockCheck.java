package io.repave.core.vacuum;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.UsageErrors;
import io.repave.core.store.ListedObject;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Refuses to vacuum by a clock that is far ahead of the store's. A vacuum counts the retention back
 * from its machine's clock, and the store dates files and uploads. With a clock that is a month
 * ahead, files that were replaced just now look older than a week. A clock that is behind only
 * keeps them longer.
 */
final class ClockCheck {
  /** Clocks that are set by hand, or drift, are closer; a retention of a day is still safe. */
  private static final long AHEAD_MILLIS_MAX = 3_600_000;

  private final TableContext context;

  ClockCheck(TableContext context) {
    this.context = context;
  }

  /** Requests: 1 HEAD of the head. A store or SDK that does not tell its time is not compared. */
  void run() throws IOException, InterruptedException {
    Optional<ListedObject> head = context.records().find(context.paths().head());
    OptionalLong store = head.map(ListedObject::answeredMillis).orElse(OptionalLong.empty());
    if (store.isPresent()) {
      requireNotAhead(store.getAsLong());
    }
  }

  private void requireNotAhead(long storeMillis) throws InvalidConfigException {
    long now = context.clock().wallMillis();
    if (now - storeMillis > AHEAD_MILLIS_MAX) {
      throw UsageErrors.clockAhead(context.paths().root(), now, storeMillis);
    }
  }
}
