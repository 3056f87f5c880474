package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.ConflictErrors;
import io.repave.core.error.DeltaLogErrors;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.FollowerState;
import io.repave.core.record.Head;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Switches a follower on. First its state is written, then the head names it, then the follower is
 * brought to the version of the head; every process can do the last part.
 *
 * <p>Requests: 1 LIST, 1 GET of the head, those of the live files, 1 PUT, 1 PUT If-Match, and those
 * of the follower. Late files of an earlier pointer cost 1 GET each, and those of {@link
 * StopFollowing#end}.
 */
public final class StartFollowing {
  /** So many late files of an earlier log are deleted; more are a log. */
  private static final int LATE_MAX = 8;

  /** Others may commit, or a slow process may write one more late file, in each of these rounds. */
  private static final int ROUNDS = 10;

  private final TableContext context;

  public StartFollowing(TableContext context) {
    this.context = context;
  }

  public void run(FollowerKind kind) throws IOException, InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      if (begun(kind)) {
        return;
      }
    }
    throw ConflictErrors.changedBeforeFollowing(context.paths().root());
  }

  /**
   * False after files of an earlier pointer were deleted, and when a commit was published
   * meanwhile: then everything has to be looked at again.
   */
  private boolean begun(FollowerKind kind) throws IOException, InterruptedException {
    List<ListedObject> listed = listed(kind);
    VersionedHead seen = context.heads().read();
    Head head = seen.existing(context.paths().root());
    Optional<Follower> present = head.follower(kind);
    if (present.isPresent() && present.get().ending()) {
      throw FollowErrors.ending(context.paths().root(), kind.label());
    }
    if (present.isPresent()) {
      return true;
    }
    // They were listed before a head that has no follower, so they belong to no newer one.
    requireLate(kind, listed);
    String id = context.ports().nonces().get();
    if (!listed.isEmpty()) {
      deleteLate(seen, Follower.of(kind, "", id, head.version()).end());
      return false;
    }
    Follower follower =
        switch (kind) {
          case DELTA -> Follower.from(kind, id, head.version());
          case SYMLINK -> Follower.of(kind, "", id, head.version());
          case METASTORE, GLUE -> throw FollowErrors.needsName(kind.label());
        };
    if (kind == FollowerKind.DELTA && !putState(head, follower)) {
      return false;
    }
    Optional<Follower> now = add(seen, follower).head().flatMap(it -> it.follower(kind));
    if (kind == FollowerKind.DELTA && now.filter(it -> it.id().equals(id)).isEmpty()) {
      // No head names the follower, so nobody else would delete its state.
      new FollowerStates(context).delete(follower, head.version());
    }
    return now.filter(it -> !it.ending()).isPresent();
  }

  /**
   * Of several processes that start, one gets its follower into the head, and deletes. It ends at
   * once, so nobody writes to the folder meanwhile, and a process that dies here is one that was
   * switching the follower off.
   */
  private void deleteLate(VersionedHead seen, Follower ended)
      throws IOException, InterruptedException {
    Optional<Follower> present =
        add(seen, ended).head().flatMap(head -> head.follower(ended.kind()));
    if (present.filter(it -> it.id().equals(ended.id())).isPresent()) {
      new StopFollowing(context).end(ended.kind());
    }
  }

  /**
   * Names the follower in the head, unless the head names one of its kind. The head must still have
   * the version with which the follower begins: a later commit that did not know the follower may
   * have deleted files of that version.
   */
  private VersionedHead add(VersionedHead seen, Follower follower)
      throws IOException, InterruptedException {
    return context
        .heads()
        .update(
            seen,
            now ->
                now.filter(it -> !seen.isDropped(now))
                    .filter(it -> it.version() == follower.from())
                    .filter(it -> it.follower(follower.kind()).isEmpty())
                    .map(it -> it.adding(follower)));
  }

  /** False when a later commit has deleted the files that tell the columns. */
  private boolean putState(Head head, Follower follower) throws IOException, InterruptedException {
    Optional<FollowerState> state = state(head, follower);
    if (state.isEmpty()) {
      if (context.heads().read().version() == head.version()) {
        throw DeltaLogErrors.noColumns(context.paths().root());
      }
      return false;
    }
    new FollowerStates(context).put(state.get());
    return true;
  }

  private List<ListedObject> listed(FollowerKind kind) throws IOException, InterruptedException {
    return context
        .retry()
        .known(() -> context.store().list(context.paths().pointer(kind), ""))
        .objects();
  }

  /**
   * Only files that a slow process wrote after its follower was switched off are deleted. A log of
   * another program is never mixed with Repave's.
   */
  private void requireLate(FollowerKind kind, List<ListedObject> listed)
      throws IOException, InterruptedException {
    if (listed.size() > LATE_MAX) {
      throw exists(kind);
    }
    for (ListedObject file : listed) {
      Location at = new Location(context.paths().pointer(kind).bucket(), file.key());
      Optional<byte[]> content = context.records().read(at, DeltaVersion.BYTES_MAX);
      if (content.isPresent() && !isOfRepave(kind, content.get())) {
        throw exists(kind);
      }
    }
  }

  private InvalidConfigException exists(FollowerKind kind) {
    Location folder = context.paths().pointer(kind);
    return kind == FollowerKind.DELTA
        ? DeltaLogErrors.logExists(folder)
        : FollowErrors.manifestsExist(folder);
  }

  /** A manifest that was left is a list of this table's files. */
  private boolean isOfRepave(FollowerKind kind, byte[] content) {
    Location root = context.paths().root();
    String place = new Location(root.bucket(), root.prefix()).toString();
    return switch (kind) {
      case DELTA -> DeltaVersion.isOfRepave(content);
      case METASTORE, GLUE -> false;
      case SYMLINK ->
          new String(content, StandardCharsets.UTF_8)
              .lines()
              .allMatch(line -> line.startsWith(place));
    };
  }

  /** What the live files tell of the columns. */
  private Optional<FollowerState> state(Head head, Follower follower)
      throws IOException, InterruptedException {
    FollowedChange known = new FollowedChange(Optional.empty());
    ColumnSamples unknown = new ColumnSamples(context);
    try (LiveFiles.Open live = new LiveFiles(context).all(head, head.version())) {
      live.each(
          (partition, file) -> {
            known.file(partition, file);
            unknown.file(partition, file);
          });
    }
    unknown.tell(known);
    return known.state(follower, head.version());
  }
}
