package io.repave.sim;

import io.repave.core.engine.TableContext;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.PartitionEntry;
import io.repave.core.snapshot.CommitManifest;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Wrong ways to write symlink manifests. */
final class UnsafeSymlinks {
  private static final int TRIES = 3;

  private final TableContext context;

  UnsafeSymlinks(TableContext context) {
    this.context = context;
  }

  /** Replaces the manifests, whatever they have now. */
  void overwrite(CommitManifest manifest) throws IOException, InterruptedException {
    Head head = context.heads().read().head().orElseThrow();
    for (String partition : changed(manifest)) {
      context.records().put(place(partition), list(head, partition));
    }
  }

  /** Replaces the manifests that were read before the head, however often they had this list. */
  void inPlace(CommitManifest manifest) throws IOException, InterruptedException {
    for (String partition : changed(manifest)) {
      boolean written = false;
      for (int i = 0; i < TRIES && !written; i++) {
        written = inPlace(partition);
      }
    }
  }

  private boolean inPlace(String partition) throws IOException, InterruptedException {
    Location at = place(partition);
    Optional<StoredObject> now = context.retry().known(() -> context.store().read(at, 1 << 20));
    Head head = context.heads().read().head().orElseThrow();
    ByteBuffer list = ByteBuffer.wrap(list(head, partition));
    try {
      if (now.isPresent()) {
        context.store().putIfMatch(at, list, now.get().etag());
      } else {
        context.store().putIfAbsent(at, list);
      }
      return true;
    } catch (StoreException lost) {
      return false;
    }
  }

  private Set<String> changed(CommitManifest manifest) throws IOException, InterruptedException {
    Set<String> partitions = new TreeSet<>();
    manifest.each(
        context,
        entries -> entries.stream().map(PartitionEntry::partition).forEach(partitions::add));
    return partitions;
  }

  private Location place(String partition) {
    return context.paths().symlinks(partition).resolve("manifest");
  }

  private byte[] list(Head head, String partition) throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    Footprint wanted = Footprint.of(List.of(partition));
    try (LiveFiles.Open live = new LiveFiles(context).covered(head, head.version(), wanted)) {
      live.each((at, file) -> lines.append(context.paths().file(at, file.name())).append('\n'));
    }
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }
}
