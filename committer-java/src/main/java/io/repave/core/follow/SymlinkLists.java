package io.repave.core.follow;

import io.repave.core.engine.TableContext;
import io.repave.core.error.FollowErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.follow.ChangedPartitions.Change;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The lists of files of some partitions, one {@code s3://} address in each line.
 *
 * <p>Requests: none for partitions that the newest commit replaced; for others those of the live
 * files.
 */
final class SymlinkLists {
  /** A list is written from memory: about half a million files. */
  static final int BYTES_MAX = 64 << 20;

  /** Receives the list of a partition; an empty one when it has no files. */
  @FunctionalInterface
  interface Lists {
    void list(String partition, byte[] list) throws IOException, InterruptedException;
  }

  private final TableContext context;
  private final Lists lists;
  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private String partition;

  SymlinkLists(TableContext context, Lists lists) {
    this.context = context;
    this.lists = lists;
  }

  /** Passes on the lists of partitions at the version of a head. */
  void each(Head head, Collection<String> partitions, Map<String, Change> changes)
      throws IOException, InterruptedException {
    Set<String> recorded = new HashSet<>(partitions);
    for (String each : partitions) {
      Change change = changes.getOrDefault(each, Change.RETURNING);
      if (change.whole().isPresent()) {
        recorded.remove(each);
        if (change.whole().get().isEmpty()) {
          lists.list(each, new byte[0]);
        }
        for (String name : new TreeSet<>(change.whole().get())) {
          line(each, name);
        }
      }
    }
    end();
    Set<String> emptied = new HashSet<>(recorded);
    Footprint wanted = Footprint.of(recorded);
    try (LiveFiles.Open live = new LiveFiles(context).covered(head, head.version(), wanted)) {
      live.each(
          (at, file) -> {
            if (recorded.contains(at)) {
              emptied.remove(at);
              line(at, file.name());
            }
          });
    }
    end();
    for (String each : emptied) {
      lists.list(each, new byte[0]);
    }
  }

  private void line(String at, String name) throws IOException, InterruptedException {
    if (!at.equals(partition)) {
      end();
      partition = at;
    }
    Location file = context.paths().file(at, name);
    String line = file.toString();
    if (line.indexOf('\n') >= 0 || line.indexOf('\r') >= 0) {
      throw FollowErrors.lineBreak(file);
    }
    if (lines.size() > 0) {
      lines.write('\n');
    }
    lines.writeBytes(line.getBytes(StandardCharsets.UTF_8));
    requireSize();
  }

  private void requireSize() throws InvalidRecordException {
    if (lines.size() > BYTES_MAX) {
      throw FollowErrors.manifestTooLarge(partition, BYTES_MAX);
    }
  }

  private void end() throws IOException, InterruptedException {
    if (partition != null) {
      lists.list(partition, open(lines.toByteArray()));
    }
    partition = null;
    lines.reset();
  }

  /** A list with an even number of bytes: see {@link SymlinkFolder}. */
  static byte[] open(byte[] list) {
    return list.length % 2 == 0 ? list : closed(list);
  }

  /** The same list with a line feed more or less at its end. */
  static byte[] closed(byte[] list) {
    boolean ended = list.length > 0 && list[list.length - 1] == '\n';
    byte[] other = Arrays.copyOf(list, ended ? list.length - 1 : list.length + 1);
    if (!ended) {
      other[list.length] = '\n';
    }
    return other;
  }
}
