package io.repave.core.follow;

import io.repave.core.engine.Retry;
import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.follow.ChangedPartitions.Change;
import io.repave.core.follow.SymlinkLists.Lists;
import io.repave.core.listing.FoldersListing;
import io.repave.core.record.CommitId;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The symlink manifests of a table: for each partition the list of its files. Only partitions that
 * changed are written. A list is that of the head which is read <em>after</em> the folders were
 * listed, and is written only over what was listed. So nobody puts the list of an older version
 * over that of a newer one.
 *
 * <p>Requests: 1 LIST for up to 1,000 manifests, 1 GET of the head, the reads of {@link
 * ChangedPartitions} and {@link SymlinkLists}, and 1 PUT for each changed partition; those of
 * {@link SymlinkFolder#write} and 1 GET of the head more where lists move to other files. If the
 * process dies here: its commit is unfinished, and who finishes it writes the same partitions
 * again.
 */
final class SymlinkManifests {
  /** In each of these rounds, another process wrote some of the manifests. */
  private static final int ROUNDS_MAX = 100;

  /**
   * A reader lists a folder and then opens what it found. This is longer than it takes between the
   * two, so that it does not find a file empty whose list has moved to a file that it did not see.
   */
  private static final long READER_MILLIS = 3_000;

  private static final int BATCH_PARTITIONS = 1_000;
  private static final int BATCH_BYTES = 8 << 20;

  private final TableContext context;
  private final Head head;
  private final Follower follower;
  private final Optional<CommitManifest> own;
  private final ChangedPartitions changed;

  /** {@code own} is a manifest that need not be read. */
  SymlinkManifests(
      TableContext context, Head head, Follower follower, Optional<CommitManifest> own) {
    this.context = context;
    this.head = head;
    this.follower = follower;
    this.own = own;
    this.changed = new ChangedPartitions(context, follower, own);
  }

  /** Writes the manifests of all partitions that changed up to the version of the head. */
  Follower follow() throws IOException, InterruptedException {
    if (follower.next() > head.version()) {
      return follower;
    }
    Map<String, Change> changes = changed.upTo(head);
    Set<String> left = changes.keySet();
    Retry.Attempts outages = context.retry().begin();
    Retry.Races races = context.retry().races();
    for (int round = 0; !left.isEmpty(); round++) {
      Optional<Lost> lost = round(left, changes);
      if (lost.isEmpty()) {
        return follower;
      }
      left = lost.get().partitions();
      boolean goesOn = round < ROUNDS_MAX && (!lost.get().isOutage() || outages.pause());
      if (!left.isEmpty() && !goesOn) {
        throw FollowErrors.manifestsNotWritten(context.paths().root(), left.size());
      }
      if (!left.isEmpty()) {
        races.pause();
      }
    }
    return follower.at(head.version() + 1);
  }

  /** Partitions that have to be written again; for some of them the store gave no clear answer. */
  private static final class Lost {
    private final Set<String> partitions = new ConcurrentSkipListSet<>(Utf8Order.KEYS);
    private final AtomicBoolean outage = new AtomicBoolean();

    Set<String> partitions() {
      return partitions;
    }

    boolean isOutage() {
      return outage.get();
    }

    /** False if another try would not help. */
    boolean add(String partition, StoreException why) {
      if (why.kind() == Kind.DENIED || why.kind() == Kind.INVALID) {
        return false;
      }
      partitions.add(partition);
      outage.compareAndSet(false, why.kind() == Kind.UNKNOWN);
      return true;
    }
  }

  /**
   * Tries to write the manifests of some partitions; returns those that another process wrote
   * meanwhile. Empty when another process has finished the commit.
   */
  private Optional<Lost> round(Set<String> partitions, Map<String, Change> changes)
      throws IOException, InterruptedException {
    Map<String, SymlinkFolder> folders = folders(partitions);
    if (folders.values().stream().anyMatch(SymlinkFolder::hasFormerLines)) {
      // Another process has moved a list, perhaps just now.
      context.clock().sleep(READER_MILLIS);
    }
    Optional<Head> now = followedHead();
    if (now.isEmpty()) {
      return Optional.empty();
    }
    Head newest = now.get();
    Map<String, Change> latest =
        newest.version() == head.version() ? changes : changed.upTo(newest);
    Lost lost = new Lost();
    Queue<Former> formers = new ConcurrentLinkedQueue<>();
    List<Write> batch = new ArrayList<>();
    long[] bytes = {0};
    Lists lists =
        (partition, list) -> {
          batch.add(new Write(folders.get(partition), list, latest.get(partition).fresh()));
          bytes[0] += list.length;
          if (batch.size() == BATCH_PARTITIONS || bytes[0] > BATCH_BYTES) {
            write(batch, formers, lost);
            bytes[0] = 0;
          }
        };
    try {
      new SymlinkLists(context, lists).each(newest, partitions, latest);
      write(batch, formers, lost);
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      emptyAfter(e, formers, lost);
      throw e;
    }
    return empty(formers, lost) ? Optional.of(lost) : Optional.empty();
  }

  /** The newest head. Empty when another process has finished the commit. */
  private Optional<Head> followedHead() throws IOException, InterruptedException {
    Optional<Head> now = context.heads().read().head();
    if (own.isPresent() && now.flatMap(it -> it.active(own())).isEmpty()) {
      return Optional.empty();
    }
    if (!follower.isIn(now)) {
      throw FollowErrors.ending(context.paths().root(), follower.kind().label());
    }
    return now;
  }

  private CommitId own() {
    return own.orElseThrow().index().id();
  }

  /** A manifest to be written. */
  private record Write(SymlinkFolder folder, byte[] list, boolean fresh) {}

  /** A file whose list has moved to the next one. */
  private record Former(SymlinkFolder folder, int number) {}

  private void write(List<Write> batch, Queue<Former> formers, Lost lost)
      throws IOException, InterruptedException {
    context
        .runner()
        .each(
            batch.iterator(),
            write -> {
              SymlinkFolder folder = write.folder();
              try {
                folder
                    .write(context, write.list(), write.fresh())
                    .ifPresent(number -> formers.add(new Former(folder, number)));
              } catch (StoreException e) {
                if (!lost.add(folder.partition(), e)) {
                  throw e;
                }
              }
            });
    batch.clear();
  }

  /** Where a list has moved, readers see two lists until the former one is emptied. */
  private void emptyAfter(Throwable failure, Queue<Former> formers, Lost lost)
      throws InterruptedException {
    try {
      empty(formers, lost);
    } catch (IOException | RuntimeException also) {
      failure.addSuppressed(also);
    }
  }

  /**
   * Empties files whose lists have moved, after one pause for all of them. False when another
   * process has finished the commit, and so has emptied them.
   */
  private boolean empty(Queue<Former> formers, Lost lost) throws IOException, InterruptedException {
    if (formers.isEmpty()) {
      return true;
    }
    context.clock().sleep(READER_MILLIS);
    // The follower may have been switched off and on: then the files are those of a newer one.
    if (followedHead().isEmpty()) {
      return false;
    }
    Queue<StoreException> failures = new ConcurrentLinkedQueue<>();
    context
        .runner()
        .each(
            formers.iterator(),
            former -> {
              String partition = former.folder().partition();
              try {
                former.folder().empty(context, former.number());
              } catch (StoreException e) {
                // A refusal for one partition must not leave the lists of others.
                if (!lost.add(partition, e)) {
                  failures.add(e);
                }
              }
            });
    if (!failures.isEmpty()) {
      throw failures.remove();
    }
    return true;
  }

  /** The folders of some partitions as they are now. */
  private Map<String, SymlinkFolder> folders(Collection<String> partitions)
      throws IOException, InterruptedException {
    Map<String, SymlinkFolder> folders = new HashMap<>();
    List<Location> places = new ArrayList<>();
    for (String partition : partitions) {
      folders.put(partition, SymlinkFolder.empty(partition));
      places.add(context.paths().symlinks(partition));
    }
    Location all = context.paths().pointer(FollowerKind.SYMLINK);
    new FoldersListing(context, all)
        .each(
            places,
            object -> {
              String path = object.key().substring(all.prefix().length());
              int slash = path.lastIndexOf('/');
              int number = SymlinkFolder.number(path.substring(slash + 1));
              if (number >= 0) {
                folders.computeIfPresent(
                    path.substring(0, Math.max(0, slash)),
                    (partition, folder) -> folder.with(number, object));
              }
            });
    return folders;
  }
}
