package io.repave.core.follow;

import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.TableContext;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerJson;
import io.repave.core.record.FollowerState;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The records of what followers know of the columns, each from a version on. */
final class FollowerStates {
  private final TableContext context;

  FollowerStates(TableContext context) {
    this.context = context;
  }

  /** The newest state of a follower that has one. Requests: 1 GET. */
  FollowerState newest(Follower follower) throws IOException, InterruptedException {
    long version = follower.state().orElseThrow();
    Location at = context.paths().followerState(follower.id(), version);
    return read(context.records().readExisting(at), follower.id(), version);
  }

  /** The state that begins at a version, if there is one. Requests: 1 GET. */
  Optional<FollowerState> find(Follower follower, long version)
      throws IOException, InterruptedException {
    Location at = context.paths().followerState(follower.id(), version);
    Optional<byte[]> record = context.records().read(at);
    return record.isEmpty()
        ? Optional.empty()
        : Optional.of(read(record.get(), follower.id(), version));
  }

  /** Puts the first state of a follower that no head names yet, so nobody else writes it. */
  void put(FollowerState state) throws IOException, InterruptedException {
    context.records().put(at(state), FollowerJson.write(state));
  }

  /**
   * The state that is put first at its version. When a slow process asks adopted files for their
   * columns, later commits may have deleted these files, but not before the version has a state.
   */
  FollowerState putNew(FollowerState state) throws IOException, InterruptedException {
    Optional<byte[]> other = context.records().putNew(at(state), FollowerJson.write(state));
    return other.isPresent() ? read(other.get(), state.follower(), state.version()) : state;
  }

  void delete(Follower follower, long version) throws IOException, InterruptedException {
    Location at = context.paths().followerState(follower.id(), version);
    FileDeletion.deleteAll(context, List.of(at), count -> {});
  }

  private Location at(FollowerState state) {
    return context.paths().followerState(state.follower(), state.version());
  }

  private FollowerState read(byte[] record, String follower, long version) throws IOException {
    Location at = context.paths().followerState(follower, version);
    return FollowerJson.read(record, follower, version, at.toString());
  }
}
