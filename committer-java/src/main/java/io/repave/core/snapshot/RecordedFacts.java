package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.snapshot.FileStream.Placed;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the manifests of recent commits say of listed files. The name of a file names its commit.
 * Only commits in the head's log are looked up, because nothing has to be read to find them.
 *
 * <p>Requests: 1 GET for each commit that wrote one of the files, and 1 GET for each shard of its
 * manifest that has a wanted partition.
 */
public final class RecordedFacts implements AutoCloseable {
  private final TableContext context;
  private final Footprint wanted;
  private final Map<String, LoggedCommit> recent = new HashMap<>();
  private final Map<String, Added> opened = new HashMap<>();

  public RecordedFacts(TableContext context, Head head, Footprint wanted) {
    this.context = context;
    this.wanted = wanted;
    List<LoggedCommit> log = head.log().stream().filter(commit -> !commit.reverted()).toList();
    for (LoggedCommit commit :
        log.subList(Math.max(0, log.size() - LiveFiles.COMMITS_AT_ONCE), log.size())) {
      recent.put(commit.id().id(), commit);
    }
  }

  /** The files that one commit added; {@code next} is the first that is not passed yet. */
  private static final class Added {
    final ManifestFiles manifest;
    final FileStream files;
    Optional<Placed> next;

    Added(ManifestFiles manifest) throws IOException, InterruptedException {
      this.manifest = manifest;
      this.files = manifest.added();
      this.next = files.next();
    }

    FileFacts of(Placed file) throws IOException, InterruptedException {
      while (next.isPresent() && Placed.ORDER.compare(next.get(), file) < 0) {
        next = files.next();
      }
      boolean same = next.isPresent() && next.get().isAt(file);
      return same && next.get().file().bytes() == file.file().bytes()
          ? next.get().file().facts()
          : FileFacts.NONE;
    }
  }

  /** The file with its facts, or without. Pass the files in their order. */
  public FileEntry known(String partition, FileEntry file)
      throws IOException, InterruptedException {
    Optional<String> commit = PartFileName.commitOf(file.name());
    if (commit.isEmpty() || !recent.containsKey(commit.get())) {
      return file;
    }
    Optional<Added> added = added(commit.get());
    return added.isEmpty()
        ? file
        : new FileEntry(file.name(), file.bytes(), added.get().of(new Placed(partition, file)));
  }

  private Optional<Added> added(String commit) throws IOException, InterruptedException {
    if (!opened.containsKey(commit)) {
      Optional<CommitManifest> manifest = CommitManifest.read(context, recent.get(commit).id());
      if (manifest.isEmpty()) {
        recent.remove(commit);
        return Optional.empty();
      }
      opened.put(commit, new Added(new ManifestFiles(context, manifest.get(), wanted)));
    }
    return Optional.of(opened.get(commit));
  }

  @Override
  public void close() throws IOException {
    for (Added added : opened.values()) {
      added.manifest.close();
    }
  }
}
