package io.repave.core.follow;

import io.repave.core.engine.FileDeletion;
import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.ledger.Schema;
import io.repave.core.listing.StoredFacts;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerJson;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.FollowerState;
import io.repave.core.record.Head;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Switches a follower on. First its state is written, then the head names it, then the follower is
 * brought to the version of the head; every process can do the last part.
 *
 * <p>Requests: 1 LIST, 1 GET of the head, those of the live files, 1 PUT, 1 PUT If-Match, and those
 * of the follower.
 */
public final class StartFollowing {
  /** So many files without recorded columns are asked for them. */
  private static final int SAMPLES = 32;

  /** So many late files of an earlier log are deleted; more are a log. */
  private static final int LATE_MAX = 8;

  private final TableContext context;

  public StartFollowing(TableContext context) {
    this.context = context;
  }

  public void run(FollowerKind kind) throws IOException, InterruptedException {
    List<ListedObject> listed = listed(kind);
    VersionedHead seen = context.heads().read();
    Head head = seen.head().orElseThrow(() -> UsageErrors.noVersions(context.paths().root()));
    Optional<Follower> present = head.follower(kind);
    if (present.isPresent() && present.get().ending()) {
      throw FollowErrors.ending(context.paths().root(), kind.label());
    }
    if (present.isPresent()) {
      return;
    }
    // They were listed before a head that has no follower, so they belong to no newer one.
    FileDeletion.deleteAll(context, lateFiles(kind, listed), count -> {});
    String id = context.ports().nonces().get();
    Follower follower =
        switch (kind) {
          case DELTA -> withState(head, Follower.from(kind, id, head.version()));
          case SYMLINK -> Follower.stateless(kind, id, head.version());
        };
    context
        .heads()
        .update(
            seen,
            now ->
                now.filter(it -> !seen.isDropped(now))
                    .filter(it -> it.follower(kind).isEmpty())
                    .map(it -> added(it, follower)));
  }

  private Follower withState(Head head, Follower follower)
      throws IOException, InterruptedException {
    FollowerState state = state(head, follower);
    Location at = context.paths().followerState(follower.id(), head.version());
    context.records().put(at, FollowerJson.write(state));
    return follower;
  }

  private static Head added(Head head, Follower follower) {
    List<Follower> more = new ArrayList<>(head.followers());
    more.add(follower);
    return head.change().followers(more).done();
  }

  private List<ListedObject> listed(FollowerKind kind) throws IOException, InterruptedException {
    return context
        .retry()
        .known(() -> context.store().list(context.paths().pointer(kind), ""))
        .objects();
  }

  /**
   * Files that a slow process wrote after its follower was switched off. A log of another program
   * is never mixed with Repave's.
   */
  private List<Location> lateFiles(FollowerKind kind, List<ListedObject> listed)
      throws IOException, InterruptedException {
    Location folder = context.paths().pointer(kind);
    List<Location> files = new ArrayList<>();
    for (ListedObject file : listed) {
      Location at = new Location(folder.bucket(), file.key());
      Optional<byte[]> content = context.records().read(at);
      if (files.size() == LATE_MAX || content.isPresent() && !isOfRepave(kind, content.get())) {
        throw kind == FollowerKind.DELTA
            ? FollowErrors.logExists(folder)
            : FollowErrors.manifestsExist(folder);
      }
      files.add(at);
    }
    return files;
  }

  /** A manifest that was left is a list of this table's files. */
  private boolean isOfRepave(FollowerKind kind, byte[] content) {
    String place = context.paths().root() + "/";
    return switch (kind) {
      case DELTA -> DeltaVersion.isOfRepave(content);
      case SYMLINK ->
          new String(content, StandardCharsets.UTF_8)
              .lines()
              .allMatch(line -> line.startsWith(place));
    };
  }

  /** What the live files tell of the columns. */
  private FollowerState state(Head head, Follower follower)
      throws IOException, InterruptedException {
    FollowedChange known = new FollowedChange(Optional.empty());
    List<Location> unknown = new ArrayList<>();
    List<Long> bytes = new ArrayList<>();
    long[] files = {0};
    long[] step = {1};
    try (LiveFiles.Open live = new LiveFiles(context).all(head, head.version())) {
      live.each(
          (partition, file) -> {
            known.file(partition, file);
            if (!FollowedChange.tellsColumns(file) && files[0]++ % step[0] == 0) {
              unknown.add(context.paths().file(partition, file.name()));
              bytes.add(file.bytes());
              step[0] = thinned(unknown, bytes, step[0]);
            }
          });
    }
    StoredFacts stored = new StoredFacts(context);
    for (int i = 0; i < unknown.size(); i++) {
      Optional<Schema> found = stored.of(unknown.get(i), bytes.get(i)).schema();
      if (found.isPresent()) {
        known.columns(found.get().json());
      }
    }
    return known
        .state(follower, head.version())
        .orElseThrow(() -> FollowErrors.noColumns(context.paths().root()));
  }

  /** Drops every second sample when there are too many, so that they stay evenly spread. */
  private static long thinned(List<Location> samples, List<Long> bytes, long step) {
    if (samples.size() < 2 * SAMPLES) {
      return step;
    }
    for (int i = samples.size() - 1; i > 0; i -= 2) {
      samples.remove(i);
      bytes.remove(i);
    }
    return 2 * step;
  }
}
