package io.repave.sim;

import io.repave.core.engine.TableContext;
import io.repave.core.engine.VersionedHead;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Follower;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.store.Location;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

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
            entry.out().forEach(file -> lines.append(action("remove", entry, file)));
            entry.added().forEach(file -> lines.append(action("add", entry, file)));
          }
        });
    String name = String.format(Locale.ROOT, "%020d.json", next);
    byte[] content = lines.toString().getBytes(StandardCharsets.UTF_8);
    context.records().put(log.resolve(name), content);
  }

  private static String action(String what, PartitionEntry entry, FileEntry file) {
    return "{\"%s\":{\"path\":\"%s/%s\"}}%n".formatted(what, entry.partition(), file.name());
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
