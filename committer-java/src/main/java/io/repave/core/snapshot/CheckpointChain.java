package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointIndex.FilesAt;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.RecordCodec;
import io.repave.core.store.Location;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The checkpoints that a head leads to, from the newest back. */
public final class CheckpointChain {
  private final TableContext context;

  public CheckpointChain(TableContext context) {
    this.context = context;
  }

  /** The head's checkpoint: 1 GET; none before the first one. */
  Optional<CheckpointIndex> newest(Head head) throws IOException, InterruptedException {
    return read(head.checkpoint(), head.checkpointVersion());
  }

  /** The checkpoint before another: 1 GET; none where the history begins. */
  Optional<CheckpointIndex> before(Head head, CheckpointIndex index)
      throws IOException, InterruptedException {
    return index.previousVersion() < head.historyFrom()
        ? Optional.empty()
        : read(index.previous(), index.previousVersion());
  }

  /** The newest checkpoint with live files that is not after a version; an empty one if none. */
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
   * Where the live files of a checkpoint stand. A job of version 0.1 takes a checkpoint without
   * files for that of an empty table, so what it writes on top of one is not believed.
   */
  FilesAt files(Head head, CheckpointIndex index) throws IOException, InterruptedException {
    if (!index.files().equals(FilesAt.UNSAID)) {
      return index.files();
    }
    Optional<CheckpointIndex> previous = before(head, index);
    return previous.isPresent() && !previous.get().hasFiles()
        ? files(head, previous.get())
        : new FilesAt("", index.version());
  }

  /** The names of all checkpoints that a head leads to, and of their shards. */
  public Set<String> names(Head head) throws IOException, InterruptedException {
    Set<String> names = new HashSet<>();
    String name = head.checkpoint();
    Optional<CheckpointIndex> index = newest(head);
    while (index.isPresent()) {
      names.add(name);
      index.get().shards().forEach(shard -> names.add(shard.name()));
      name = index.get().previous();
      index = before(head, index.get());
    }
    return names;
  }

  /** The partitions of a shard: 1 GET. */
  List<PartitionEntry> entries(CheckpointShard shard) throws IOException, InterruptedException {
    Location at = context.paths().checkpoint(shard.name());
    return CheckpointJson.readShard(fetch(at), at.toString());
  }

  /** Versions only fall along the chain, or a reader of hostile checkpoints would never end. */
  private Optional<CheckpointIndex> read(String name, long version)
      throws IOException, InterruptedException {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Location at = context.paths().checkpoint(name);
    CheckpointIndex index = CheckpointJson.readIndex(fetch(at), at.toString());
    if (index.version() != version || index.previousVersion() >= version) {
      throw new InvalidRecordException(
          "The record "
              + at
              + " is of version "
              + index.version()
              + " and follows on version "
              + index.previousVersion()
              + ", where the checkpoint of version "
              + version
              + " belongs. Nothing was changed; restore it from the bucket's older versions.");
    }
    return Optional.of(index);
  }

  private byte[] fetch(Location at) throws IOException, InterruptedException {
    return context
        .retry()
        .known(() -> context.store().read(at, RecordCodec.BYTES_MAX))
        .map(StoredObject::content)
        .orElseThrow(
            () ->
                new InvalidRecordException(
                    "The record " + at + " is missing: restore it from a backup."));
  }
}
