package io.repave.core.step;

import io.repave.core.ledger.Ledger;
import io.repave.core.record.CheckpointIndex;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CheckpointShard;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.ManifestIndex;
import io.repave.core.store.Location;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Writes checkpoints, so that reading a snapshot never costs the table's whole history. Only shards
 * that hold a touched partition are written anew; the others are named again.
 */
public final class Checkpoints {
  private final StepContext context;

  public Checkpoints(StepContext context) {
    this.context = context;
  }

  /** Writes the checkpoint of a head's version, when it is due; returns its name. */
  public Optional<String> write(Head head) throws IOException, InterruptedException {
    if (head.version() - head.checkpointVersion() < context.settings().checkpointEvery()) {
      return Optional.empty();
    }
    Snapshots snapshots = new Snapshots(context);
    CheckpointIndex before = snapshots.checkpointBefore(head, head.checkpointVersion());
    List<LoggedCommit> commits = snapshots.publishedSince(head, head.checkpointVersion());
    Footprint touched = touched(commits);
    List<CheckpointShard> kept = new ArrayList<>();
    for (CheckpointShard shard : before.shards()) {
      if (!touched.meets(shard.first(), shard.last())) {
        kept.add(shard);
      }
    }
    Snapshot live = snapshots.without(head, kept);
    String name =
        String.format(Locale.ROOT, "%012d-%s", head.version(), context.ports().nonces().get());
    List<CheckpointShard> shards = new ArrayList<>(kept);
    shards.addAll(putShards(name, live));
    shards.sort(Comparator.comparing(CheckpointShard::first, Utf8Order.KEYS));
    CheckpointIndex index =
        new CheckpointIndex(
            head.version(), head.checkpoint(), head.checkpointVersion(), shards, commits);
    put(name + ".json.gz", CheckpointJson.writeIndex(index));
    return Optional.of(name + ".json.gz");
  }

  private Footprint touched(List<LoggedCommit> commits) throws IOException, InterruptedException {
    List<String> folders = new ArrayList<>();
    for (LoggedCommit commit : commits) {
      Optional<Planned> plan = Planned.read(context, commit.id());
      if (plan.isPresent()) {
        ManifestIndex index = plan.get().index();
        folders.addAll(index.touched());
        folders.addAll(index.scope());
        plan.get().each(context, entries -> entries.forEach(e -> folders.add(e.partition())));
      }
    }
    return Footprint.of(folders, List.of());
  }

  private List<CheckpointShard> putShards(String checkpoint, Snapshot live)
      throws IOException, InterruptedException {
    List<CheckpointShard> shards = new ArrayList<>();
    SortedMap<String, List<FileEntry>> collected = new TreeMap<>(Utf8Order.KEYS);
    int files = 0;
    for (String partition : live.partitions()) {
      for (FileEntry file : live.files(partition)) {
        collected.computeIfAbsent(partition, p -> new ArrayList<>()).add(file);
        if (++files == Ledger.BATCH) {
          shards.add(putShard(checkpoint, shards.size(), collected, files));
          collected.clear();
          files = 0;
        }
      }
    }
    if (files > 0) {
      shards.add(putShard(checkpoint, shards.size(), collected, files));
    }
    return shards;
  }

  private CheckpointShard putShard(
      String checkpoint, int number, SortedMap<String, List<FileEntry>> partitions, int files)
      throws IOException, InterruptedException {
    String name = String.format(Locale.ROOT, "%s-%05d.json.gz", checkpoint, number);
    put(name, CheckpointJson.writeShard(partitions));
    return new CheckpointShard(name, partitions.firstKey(), partitions.lastKey(), files);
  }

  private void put(String name, byte[] content) throws IOException, InterruptedException {
    Location at = context.paths().checkpoint(name);
    context.retry().known(() -> context.store().put(at, ByteBuffer.wrap(content)));
  }
}
