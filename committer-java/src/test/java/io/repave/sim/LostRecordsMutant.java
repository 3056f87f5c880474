package io.repave.sim;

import io.repave.core.record.ActiveCommit;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Broken rules for lost records: the real engine, whose view of the head is changed. */
enum LostRecordsMutant {
  /** No mutant: the real engine. */
  CONTROL,
  /** A commit that lost its manifest is planned from the newest version, not from its own. */
  PLANS_FROM_NEWEST,
  /** A static overwrite without records is finished with the folders of its files. */
  FINDS_STATIC_BY_NAME,
  /** A commit that an operator ends keeps its token. */
  ENDS_WITH_TOKEN;

  /** {@code disguised} are the commits that processes of the same schedule mistook so far. */
  World.Process altered(World.Process process, Set<CommitId> disguised) {
    Location head = process.world().paths.head();
    return process.through(store -> through(store, head, process.world(), disguised));
  }

  private ObjectStore through(
      ObjectStore store, Location head, World world, Set<CommitId> disguised) {
    return switch (this) {
      case CONTROL -> store;
      case PLANS_FROM_NEWEST ->
          new HeadRewriter(
              store,
              head,
              now -> cleaning(now, it -> changed(it, it.kind(), now.version() + 1)),
              LostRecordsMutant::asBefore);
      case FINDS_STATIC_BY_NAME ->
          new HeadRewriter(
              store,
              head,
              now -> cleaning(now, it -> dynamic(it, world, disguised)),
              LostRecordsMutant::asBefore);
      case ENDS_WITH_TOKEN ->
          new HeadRewriter(store, head, UnaryOperator.identity(), LostRecordsMutant::withTokens);
    };
  }

  private static Head cleaning(Head head, UnaryOperator<ActiveCommit> change) {
    List<ActiveCommit> active =
        head.active().stream()
            .map(it -> it.state() == CommitState.CLEANING ? change.apply(it) : it)
            .toList();
    return head.change().active(active).done();
  }

  private static ActiveCommit dynamic(ActiveCommit it, World world, Set<CommitId> disguised) {
    boolean gone =
        !world.store.objects().containsKey(world.paths.uploads(it.id()))
            && !world.store.objects().containsKey(world.paths.manifest(it.id()));
    if (gone && it.kind() == CommitKind.STATIC) {
      disguised.add(it.id());
    }
    return disguised.contains(it.id()) ? changed(it, CommitKind.DYNAMIC, it.version()) : it;
  }

  private static ActiveCommit changed(ActiveCommit it, CommitKind kind, long version) {
    return new ActiveCommit(
        it.id(),
        kind,
        it.state(),
        it.base(),
        version,
        it.token(),
        it.reservedMillis(),
        it.heartbeatMillis(),
        it.touched());
  }

  /** Published commits that are unfinished are written as they were before. */
  private static Head asBefore(Head last, Head next) {
    return cleaning(
        next,
        it ->
            last.active(it.id())
                .filter(before -> before.state() == CommitState.CLEANING)
                .orElse(it));
  }

  private static Head withTokens(Head last, Head next) {
    List<LoggedCommit> log = new ArrayList<>();
    for (LoggedCommit commit : next.log()) {
      log.add(
          last.logged(commit.id()).filter(it -> it.version() == commit.version()).orElse(commit));
    }
    return next.change().log(log).done();
  }
}
