package io.repave.core.record;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A pointer of readers that do not read the head: every commit brings it to its version.
 *
 * @param name the table's name in a catalog; "" for a pointer in the table's own folder
 * @param id differs each time that following begins
 * @param from the version with which it began
 * @param next the first version that it may not have yet
 * @param state the version of its newest {@link FollowerState}; empty before the first one
 * @param ending it is being switched off: nobody brings it forward, and its pointer is deleted
 */
public record Follower(
    FollowerKind kind,
    String name,
    String id,
    long from,
    long next,
    OptionalLong state,
    boolean ending) {
  /** The longest name of a table in a catalog. */
  public static final int NAME_MAX = 512;

  /** The property of a catalog's table that has the id of its follower. */
  public static final String MARK = "repave.follower";

  /** A follower whose state at its first version is recorded. */
  public static Follower from(FollowerKind kind, String id, long version) {
    return new Follower(kind, "", id, version, version, OptionalLong.of(version), false);
  }

  /** A follower without a state: its kind keeps none, or its first commits tell its columns. */
  public static Follower of(FollowerKind kind, String name, String id, long version) {
    return new Follower(kind, name, id, version, version, OptionalLong.empty(), false);
  }

  /** The same catalog, which begins again: a table with the former id is not moved any more. */
  public Follower again(String newId) {
    return new Follower(kind, name, newId, from, from, state, false);
  }

  /** The same follower, while it is switched off. */
  public Follower end() {
    return new Follower(kind, name, id, from, next, state, true);
  }

  /** True when a head has this follower and it is not being switched off. */
  public boolean isIn(Optional<Head> head) {
    return head.flatMap(it -> it.follower(kind))
        .filter(it -> it.id.equals(id) && !it.ending)
        .isPresent();
  }

  /** The newest version that its readers see; 0 before it has begun. */
  public long version() {
    return next > from ? next - 1 : 0;
  }

  /** The newest version that it surely has; the one before its first until it has begun. */
  public long followed() {
    return Math.max(0, next - 1);
  }

  /** The same follower, gone forward. */
  public Follower at(long nextVersion, long stateVersion) {
    OptionalLong newState = OptionalLong.of(stateVersion);
    return new Follower(kind, name, id, from, nextVersion, newState, ending);
  }

  /** The same follower of a kind without states, gone forward. */
  public Follower at(long nextVersion) {
    return new Follower(kind, name, id, from, nextVersion, state, ending);
  }

  /** True until it has been brought to a version for the first time. */
  public boolean begins() {
    return next == from;
  }

  /** The one of several states of this follower that has most versions. */
  Follower newest(List<Follower> others) {
    Follower newest = this;
    for (Follower other : others) {
      if (!ending && other.id.equals(id) && other.next > newest.next) {
        newest = other;
      }
    }
    return newest;
  }
}
