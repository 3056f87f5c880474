package io.repave.core.engine;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.UsageErrors;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.Location;
import java.util.Optional;

/** A head as it was read, and its etag in the store; {@code etag} is "" when there is no head. */
public record VersionedHead(Optional<Head> head, String etag) {
  /** The head of a table that must have one. */
  public Head existing(Location table) throws InvalidConfigException {
    return head.orElseThrow(() -> UsageErrors.noVersions(table));
  }

  /** The table's version; 0 when there is no head. */
  public long version() {
    return head.map(Head::version).orElse(0L);
  }

  /** True when the records have been deleted since, or now belong to another table. */
  public boolean isDropped(Optional<Head> now) {
    return head.isPresent() && !head.map(Head::tableId).equals(now.map(Head::tableId));
  }

  /** The commit of the version; empty before the first one, and where version 0.1 left it out. */
  public Optional<LoggedCommit> newest() {
    return head.flatMap(it -> it.published(it.version()));
  }

  /**
   * True when an older head was put back since: the versions after it are used a second time. New
   * commits may have used this version by now, so the number alone does not show it.
   */
  public boolean isSetBack(Optional<Head> now) {
    return now.isPresent()
        && (now.get().version() < version() || newest().filter(now.get()::contradicts).isPresent());
  }

  /** True when no commit was cancelled between an earlier head and this one. */
  public boolean hasFenceOf(VersionedHead earlier) {
    Optional<String> before = earlier.head.map(Head::fence).filter(fence -> !fence.isEmpty());
    return before.isPresent() && before.equals(head.map(Head::fence));
  }
}
