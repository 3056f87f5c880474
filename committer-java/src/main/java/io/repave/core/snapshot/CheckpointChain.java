package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.RecordErrors;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointIndex.FilesAt;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The chain of a table's checkpoints, from the newest to the oldest. */
public final class CheckpointChain {
  private final TableContext context;

  public CheckpointChain(TableContext context) {
    this.context = context;
  }

  /** The head's checkpoint; empty before the first one. Requests: 1 GET. */
  Optional<CheckpointIndex> newest(Head head) throws IOException, InterruptedException {
    return read(head.checkpoint(), head.checkpointVersion());
  }

  /** The checkpoint before another; empty where the history begins. Requests: 1 GET. */
  Optional<CheckpointIndex> before(Head head, CheckpointIndex index)
      throws IOException, InterruptedException {
    return index.previousVersion() < head.historyFrom()
        ? Optional.empty()
        : read(index.previous(), index.previousVersion());
  }

  /** The newest checkpoint with live files at or before a version; an empty one if none. */
  CheckpointIndex filesBefore(Head head, long version) throws IOException, InterruptedException {
    Optional<CheckpointIndex> index = newest(head);
    while (index.isPresent()) {
      FilesAt files = files(head, index.get());
      if (files.version() <= version) {
        return files.checkpoint().isEmpty()
            ? files.version() == 0 ? CheckpointIndex.none() : index.get()
            : read(files.checkpoint(), files.version()).orElseGet(CheckpointIndex::none);
      }
      index = before(head, index.get());
    }
    return CheckpointIndex.none();
  }

  /**
   * Where the live files of a checkpoint are recorded. Version 0.1 takes a checkpoint without files
   * for the checkpoint of an empty table. So if it wrote a checkpoint after such a one, the files
   * in it are not used.
   */
  FilesAt files(Head head, CheckpointIndex index) throws IOException, InterruptedException {
    if (!index.files().equals(FilesAt.UNSPECIFIED)) {
      return index.files();
    }
    Optional<CheckpointIndex> previous = before(head, index);
    return previous.isPresent() && !previous.get().hasFiles()
        ? files(head, previous.get())
        : new FilesAt("", index.version());
  }

  /** Receives the checkpoints of the chain. */
  @FunctionalInterface
  interface Visitor {
    void checkpoint(String name, CheckpointIndex index);
  }

  /**
   * Passes on the checkpoints that name commits after a version, from the newest back. Returns the
   * version of the last one, or 0 when the chain ends there. Requests: 1 GET for each.
   */
  long eachSince(Head head, long since, Visitor visitor) throws IOException, InterruptedException {
    String name = head.checkpoint();
    Optional<CheckpointIndex> index = newest(head);
    while (index.isPresent()) {
      CheckpointIndex found = index.get();
      visitor.checkpoint(name, found);
      boolean isFirst = found.previous().isEmpty() || found.previousVersion() < head.historyFrom();
      if (!isFirst && found.previousVersion() <= since) {
        return found.version();
      }
      name = found.previous();
      index = before(head, found);
    }
    return 0;
  }

  /** The partitions of a shard. Requests: 1 GET. */
  List<PartitionEntry> entries(CheckpointShard shard) throws IOException, InterruptedException {
    Location at = context.paths().checkpoint(shard.name());
    return CheckpointJson.readShard(context.records().readExisting(at), at.toString());
  }

  /** Requires falling versions, so that a hostile chain of checkpoints has an end. */
  private Optional<CheckpointIndex> read(String name, long version)
      throws IOException, InterruptedException {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Location at = context.paths().checkpoint(name);
    CheckpointIndex index =
        CheckpointJson.readIndex(context.records().readExisting(at), at.toString());
    if (index.version() != version || index.previousVersion() >= version) {
      throw RecordErrors.checkpointOutOfPlace(
          at, index.version(), index.previousVersion(), version);
    }
    return Optional.of(index);
  }
}
