package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.error.ConflictErrors;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.UsageErrors;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.FileDifference;
import io.repave.core.snapshot.FileSorter;
import io.repave.core.snapshot.LiveFiles;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Brings a catalog to the version of the head. First its locations are updated, then the head says
 * so; if the head has a newer version by then, it starts again. So two processes end with the newer
 * version, and the head never names a version that the catalog has not had.
 */
public final class CatalogFollowing {
  /** How often a process whose calls fail begins again while others commit. */
  private static final int FAILURES_MAX = 10;

  /** How many newer versions a process follows: others may commit without end. */
  private static final int ROUNDS_MAX = 10;

  /** The same while other processes update the catalog too. */
  private static final int ROUNDS_MAX_CONTENDED = 100;

  private final TableContext context;

  public CatalogFollowing(TableContext context) {
    this.context = context;
  }

  /** Adds a catalog to the head; a job that began before fails at its commit. */
  public void start(FollowerKind kind, String name) throws IOException, InterruptedException {
    if (!kind.isCatalog()) {
      throw FollowErrors.notACatalog(kind.label());
    }
    if (name.isBlank() || name.length() > Follower.NAME_MAX) {
      throw FollowErrors.badCatalogName(name);
    }
    VersionedHead seen = context.heads().read();
    Head head = seen.existing(context.paths().root());
    if (head.readers() == Readers.LISTING) {
      throw FollowErrors.catalogFollowsListing(context.paths().root());
    }
    if (isFollowed(head, kind, name)) {
      if (head.follower(kind).orElseThrow().begins()) {
        // Another call died, perhaps in another catalog after it had marked a table there.
        startAgain(kind, name);
      }
      return;
    }
    Follower follower = Follower.of(kind, name, context.ports().nonces().get(), head.version());
    if (!head.isInCatalog()) {
      requireClean(head);
      // What it cannot name would stop it at each update, and vacuum would keep every file for it.
      Locations.of(context, head, follower);
    }
    VersionedHead now =
        context
            .heads()
            .update(
                seen,
                at ->
                    at.filter(it -> !seen.isDropped(at))
                        .filter(it -> it.version() == head.version() && it.active().isEmpty())
                        .filter(it -> it.follower(kind).isEmpty())
                        .map(it -> it.adding(follower)));
    if (!isFollowed(now.head().orElse(head), kind, name)) {
      throw ConflictErrors.changedBeforeFollowing(context.paths().root());
    }
  }

  /**
   * Lets a catalog begin again with another id, for a table that was dropped, or that another
   * catalog takes over. No job has to end, because a catalog follows all the time.
   */
  public void startAgain(FollowerKind kind, String name) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Optional<Follower> present = seen.head().flatMap(it -> it.follower(kind));
    if (present.isEmpty()) {
      start(kind, name);
      return;
    }
    requireName(present.get(), name);
    Follower again = present.get().again(context.ports().nonces().get());
    VersionedHead now =
        context
            .heads()
            .update(
                seen,
                at ->
                    at.filter(it -> !seen.isDropped(at))
                        .filter(it -> present.get().isIn(Optional.of(it)))
                        .map(it -> it.without(kind).adding(again)));
    if (!again.isIn(now.head())) {
      throw ConflictErrors.changedBeforeFollowing(context.paths().root());
    }
  }

  /**
   * A location shows every file in its folder. Later, plain folders get no more files. Requests:
   * LISTs of the table, and those of the live files.
   */
  private void requireClean(Head head) throws IOException, InterruptedException {
    if (!head.active().isEmpty()) {
      // It may still publish files in plain folders, next to other files.
      throw ConflictErrors.changedBeforeFollowing(context.paths().root());
    }
    long[] others = {0};
    try (FileSorter listed = new FileSorter(context);
        LiveFiles.Open recorded = new LiveFiles(context).all(head, head.version())) {
      TouchedListing.withUnfinishedCopies(context).runOnTable(listed::add);
      new FileDifference(recorded, listed.files())
          .run((partition, file) -> {}, (partition, file) -> others[0]++);
    }
    if (others[0] > 0) {
      throw FollowErrors.otherFilesRemain(context.paths().root(), others[0], head.version());
    }
  }

  /** Refuses a table that another table of the same catalog follows. */
  private boolean isFollowed(Head head, FollowerKind kind, String name) throws IOException {
    Optional<Follower> present = head.follower(kind);
    if (present.isPresent()) {
      requireName(present.get(), name);
    }
    return present.isPresent();
  }

  private void requireName(Follower present, String name) throws IOException {
    if (!present.name().equals(name)) {
      throw FollowErrors.otherCatalogTable(
          context.paths().root(), present.kind().label(), present.name());
    }
  }

  /** Removes a catalog from the head; false when it is not there. What it names stays. */
  public boolean stop(FollowerKind kind) throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Head head = seen.existing(context.paths().root());
    if (head.follower(kind).isEmpty()) {
      return false;
    }
    context
        .heads()
        .update(
            seen,
            now ->
                now.filter(it -> !seen.isDropped(now))
                    .filter(it -> it.follower(kind).isPresent())
                    .map(it -> it.without(kind)));
    return true;
  }

  /**
   * Updates a catalog to the version of the head, until no newer version appears meanwhile. After
   * some newer versions it leaves the newest one to the process that commits it. Requests: 2 GETs
   * of the head, those of the live files, 1 PUT If-Match when the version is new.
   */
  public Locations run(FollowerKind kind, LocationCatalog catalog)
      throws IOException, InterruptedException {
    return run(kind, catalog, FAILURES_MAX);
  }

  private Locations run(FollowerKind kind, LocationCatalog catalog, int failuresLeft)
      throws IOException, InterruptedException {
    VersionedHead seen = context.heads().read();
    Optional<Follower> first = Optional.empty();
    for (int round = 1; true; round++) {
      Head head = seen.existing(context.paths().root());
      Follower follower = present(head, kind);
      if (first.isPresent() && !first.get().isIn(seen.head())) {
        // Another catalog may have taken over, and this one must not be marked as that one.
        throw FollowErrors.begunAgain(context.paths().root(), follower.name());
      }
      first = Optional.of(follower);
      Locations wanted = Locations.of(context, head, follower);
      try {
        catalog.move(follower.name(), wanted);
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        // Of any kind: a catalog's client is behind a method that may throw what it likes.
        putRight(kind, catalog, head.version(), failuresLeft - 1, e);
        throw e;
      }
      seen = moved(follower, head.version());
      if (seen.version() == head.version()) {
        return wanted;
      }
      if (round >= ROUNDS_MAX && !isOvertaken(follower, head, seen)) {
        return wanted;
      }
      if (round >= ROUNDS_MAX_CONTENDED) {
        throw FollowErrors.overtaken(context.paths().root(), follower.name());
      }
    }
  }

  /**
   * True when another process has recorded a newer version: this one may have set older locations
   * afterwards. Otherwise the head says that the catalog is behind.
   */
  private static boolean isOvertaken(Follower follower, Head moved, VersionedHead now) {
    Optional<Follower> recorded = now.head().flatMap(it -> it.follower(follower.kind()));
    return recorded.filter(it -> it.followed() > moved.version()).isPresent();
  }

  /**
   * A process that fails may have set older locations after another process had set and recorded
   * newer ones. Nobody would look at them again, so this sets the newer ones again. It still
   * reports its failure, because a call without an answer may still take effect.
   */
  private void putRight(
      FollowerKind kind, LocationCatalog catalog, long failed, int failuresLeft, Exception why)
      throws InterruptedException {
    try {
      if (failuresLeft > 0 && context.heads().read().version() != failed) {
        run(kind, catalog, failuresLeft);
      }
    } catch (IOException | RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  /** The locations of the head's version, for a process with its own client of the catalog. */
  public Locations wanted(FollowerKind kind, String name) throws IOException, InterruptedException {
    Head head = head();
    return Locations.of(context, head, present(head, kind, name));
  }

  /**
   * Records that a process has updated a catalog by its own client. {@code id} is that of the
   * follower whose locations it was told: another catalog may have taken over since then.
   */
  public VersionedHead moved(FollowerKind kind, String name, String id, long version)
      throws IOException, InterruptedException {
    Head head = head();
    Follower follower = present(head, kind, name);
    if (!follower.id().equals(id)) {
      throw FollowErrors.begunAgain(context.paths().root(), name);
    }
    if (version > head.version()) {
      throw UsageErrors.noVersion(context.paths().root(), version, head.version());
    }
    return moved(follower, version);
  }

  /** Records in the head that a catalog has a version. It never goes back. */
  private VersionedHead moved(Follower follower, long version)
      throws IOException, InterruptedException {
    List<Follower> forward = List.of(follower.at(version + 1));
    return context
        .heads()
        .update(
            context.heads().read(),
            now ->
                now.filter(head -> !head.following(forward).equals(head))
                    .map(head -> head.following(forward)));
  }

  private Follower present(Head head, FollowerKind kind) throws IOException {
    return head.follower(kind)
        .orElseThrow(() -> FollowErrors.notFollowed(context.paths().root(), kind.label()));
  }

  /** Another table of the catalog may follow by now. */
  private Follower present(Head head, FollowerKind kind, String name) throws IOException {
    Follower present = present(head, kind);
    requireName(present, name);
    return present;
  }

  private Head head() throws IOException, InterruptedException {
    return context.heads().read().existing(context.paths().root());
  }
}
