package io.repave.sim;

import io.repave.core.Table;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** Wrong ways to switch a follower on. */
final class UnsafeStart {
  private UnsafeStart() {}

  /** Does not see appends that are not published. */
  static Table blindToAppends(World.Process process) {
    return rewriting(
        process,
        head -> head.change().active(active(head, false)).done(),
        (last, meant) -> {
          List<ActiveCommit> all = new ArrayList<>(meant.active());
          active(last, true).stream()
              .filter(it -> meant.active(it.id()).isEmpty())
              .forEach(all::add);
          return meant.change().active(all).done();
        });
  }

  private static List<ActiveCommit> active(Head head, boolean pendingAppends) {
    return head.active().stream()
        .filter(
            it ->
                pendingAppends
                    == (it.kind() == CommitKind.APPEND && it.state() == CommitState.PENDING))
        .toList();
  }

  /** Names the version before the head's as the first one of the log. */
  static Table beforeTheHead(World.Process process) {
    return rewriting(
        process,
        UnaryOperator.identity(),
        (last, meant) ->
            meant
                .change()
                .followers(
                    meant.followers().stream()
                        .map(it -> last.followers().contains(it) ? it : earlier(it))
                        .toList())
                .done());
  }

  private static Follower earlier(Follower follower) {
    return !follower.begins() || follower.from() < 2
        ? follower
        : new Follower(
            follower.kind(),
            follower.name(),
            follower.id(),
            follower.from() - 1,
            follower.next() - 1,
            follower.state(),
            follower.ending());
  }

  private static Table rewriting(
      World.Process process, UnaryOperator<Head> read, BinaryOperator<Head> written) {
    return process
        .through(store -> new HeadRewriter(store, process.world().paths.head(), read, written))
        .table();
  }
}
