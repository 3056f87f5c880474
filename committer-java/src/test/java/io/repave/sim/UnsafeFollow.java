package io.repave.sim;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Wrong ways to follow. */
final class UnsafeFollow {
  private final TableContext context;

  UnsafeFollow(TableContext context) {
    this.context = context;
  }

  /** Writes the changes of a commit as the version after those that are there. */
  void append(CommitManifest manifest) throws IOException, InterruptedException {
    Location log = context.paths().deltaLog();
    long next = context.retry().known(() -> context.store().list(log, "")).objects().size();
    StringBuilder lines = new StringBuilder();
    manifest.each(
        context,
        entries -> {
          for (PartitionEntry entry : entries) {
            entry.out().forEach(file -> lines.append(action("remove", entry.partition(), file)));
            entry.added().forEach(file -> lines.append(action("add", entry.partition(), file)));
          }
        });
    String name = String.format(Locale.ROOT, "%020d.json", next);
    byte[] content = lines.toString().getBytes(StandardCharsets.UTF_8);
    context.records().put(log.resolve(name), content);
  }

  /** Writes the files of the newest version of a head as the checkpoint of a version. */
  void checkpoint(Head files, long version) throws IOException, InterruptedException {
    Optional<Follower> follower = files.follower(FollowerKind.DELTA);
    if (follower.isEmpty()) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    try (LiveFiles.Open live = new LiveFiles(context).all(files, files.version())) {
      live.each((partition, file) -> lines.append(action("add", partition, file)));
    }
    long number = version - follower.get().from();
    String name = String.format(Locale.ROOT, "%020d.checkpoint.parquet", number);
    byte[] content = lines.toString().getBytes(StandardCharsets.UTF_8);
    context.records().put(context.paths().deltaLog().resolve(name), content);
  }

  private static String action(String what, String partition, FileEntry file) {
    return "{\"%s\":{\"path\":\"%s/%s\"}}%n".formatted(what, partition, file.name());
  }

  /** Writes where this commit brought the followers, whatever others wrote since. */
  void record(List<Follower> forward, VersionedHead published)
      throws IOException, InterruptedException {
    if (!forward.isEmpty()) {
      context
          .heads()
          .update(
              published,
              now ->
                  now.filter(it -> differs(it, forward))
                      .map(head -> head.change().followers(forward).done()));
    }
  }

  private static boolean differs(Head head, List<Follower> forward) {
    return !head.followers().equals(forward);
  }
}
