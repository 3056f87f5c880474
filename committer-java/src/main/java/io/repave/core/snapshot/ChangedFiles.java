package io.repave.core.snapshot;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.ManifestIndex;
import io.repave.core.snapshot.FileStream.Placed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The live files after a number of commits. Each commit empties the folders that it replaces,
 * removes files, then adds files.
 */
final class ChangedFiles {
  /** The streams of one commit: the files that it removed, then the files that it added. */
  private static final int SOURCES = 2;

  private final List<FileStream> sources = new ArrayList<>();
  private final List<Footprint> replaced = new ArrayList<>();

  ChangedFiles(FileStream before) {
    sources.add(before);
  }

  /** Adds the changes of the next commit. */
  void then(ManifestIndex index, ManifestFiles files) throws IOException, InterruptedException {
    replaced.add(index.replaced());
    // Other kinds remove files only from the folders that they replace.
    boolean removes = index.kind() == CommitKind.ADOPT || index.kind() == CommitKind.APPEND;
    sources.add(removes ? files.removed() : FileStream.EMPTY);
    sources.add(files.added());
  }

  FileStream files() {
    return new Stream(new FileMerge(sources));
  }

  private final class Stream implements FileStream {
    private final FileMerge merge;
    private String partition;
    private int oldest;

    Stream(FileMerge merge) {
      this.merge = merge;
    }

    @Override
    public Optional<Placed> next() throws IOException, InterruptedException {
      while (true) {
        List<FileMerge.Next> group = merge.group();
        if (group.isEmpty()) {
          return Optional.empty();
        }
        FileMerge.Next last = group.get(group.size() - 1);
        if (last.source() >= oldest(last.placed().partition()) && adds(last.source())) {
          return Optional.of(last.placed());
        }
      }
    }

    private boolean adds(int source) {
      return source % SOURCES == 0;
    }

    /** The oldest source that counts for a partition; a commit replaced the earlier ones. */
    private int oldest(String current) {
      if (!current.equals(partition)) {
        partition = current;
        oldest = 0;
        for (int commit = replaced.size() - 1; commit >= 0 && oldest == 0; commit--) {
          if (replaced.get(commit).covers(current)) {
            oldest = 1 + SOURCES * commit;
          }
        }
      }
      return oldest;
    }
  }
}
