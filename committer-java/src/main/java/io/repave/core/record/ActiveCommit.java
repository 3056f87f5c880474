package io.repave.core.record;

import java.util.List;
import java.util.stream.Stream;

/**
 * An unfinished commit: it is decided, and the head names it until it is finished.
 *
 * @param base the version it started from
 * @param version 0 until it is published
 * @param token "" when none was given
 * @param heartbeatMillis how often its process shows that it is alive; 0 for no heartbeat
 * @param touched folders that cover everything the commit touches, so that other jobs need not read
 *     its ledger; "" covers all inside the table. Empty when they are not known
 */
public record ActiveCommit(
    CommitId id,
    CommitKind kind,
    CommitState state,
    long base,
    long version,
    String token,
    long reservedMillis,
    long heartbeatMillis,
    List<String> touched) {
  public ActiveCommit {
    touched = List.copyOf(touched);
  }

  public ActiveCommit published(long newVersion) {
    return new ActiveCommit(
        id,
        kind,
        CommitState.CLEANING,
        base,
        newVersion,
        token,
        reservedMillis,
        heartbeatMillis,
        touched);
  }

  public ActiveCommit reservedAt(long millis) {
    return new ActiveCommit(
        id, kind, state, base, version, token, millis, heartbeatMillis, touched);
  }

  public ActiveCommit reverting() {
    return new ActiveCommit(
        id, kind, CommitState.REVERTING, base, 0, token, reservedMillis, heartbeatMillis, touched);
  }

  /**
   * The same commit with the shortest outline, so that others have to read the ledger to know what
   * it touches inside the table. Folders outside stay: a cancel without the ledger looks for the
   * commit's files there.
   */
  public ActiveCommit shortened() {
    Stream<String> outside = touched.stream().filter(RecordNames::isOutside);
    boolean inside = touched.stream().anyMatch(folder -> !RecordNames.isOutside(folder));
    List<String> outline = Stream.concat(inside ? Stream.of("") : Stream.of(), outside).toList();
    return new ActiveCommit(
        id, kind, state, base, version, token, reservedMillis, heartbeatMillis, outline);
  }
}
