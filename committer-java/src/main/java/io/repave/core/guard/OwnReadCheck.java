package io.repave.core.guard;

import io.repave.core.engine.FolderContents;
import io.repave.core.engine.OwnRead;
import io.repave.core.engine.TableContext;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.GuardErrors;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Stops a job that reads its own table, as a compaction does, if a folder that it replaces has
 * other files now than its query read. The engine lists the files, and may run most of the query,
 * before the job begins. A commit that was published in between is in the job's base, so the
 * conflict rule does not see it, and its rows would be replaced although no query has read them.
 *
 * <p>Requests: none for a job that does not read its table; otherwise those of {@link
 * ReplacedFiles}.
 */
public final class OwnReadCheck {
  private final TableContext context;
  private final List<OwnRead> reads;

  public OwnReadCheck(TableContext context, List<OwnRead> reads) {
    this.context = context;
    this.reads = reads;
  }

  /** Throws when the job would replace files that its query has not read. */
  public void run(LedgerIndex index, Head head) throws IOException, InterruptedException {
    List<OwnRead> comparable = reads.stream().filter(it -> isComparable(it, head)).toList();
    if (comparable.isEmpty()) {
      return;
    }
    FolderContents now = new FolderContents();
    new ReplacedFiles(context, index, head)
        .each(
            (partition, file) -> {
              if (file.bytes() > 0) {
                now.add(context.paths().file(partition, file.name()));
              }
            });
    for (OwnRead read : comparable) {
      require(index, read, now);
    }
  }

  /**
   * The folders of a snapshot table also hold files that are not live. The files of a commit that a
   * catalog follows have other names in a listing than in records.
   */
  private static boolean isComparable(OwnRead read, Head head) {
    return !head.isInCatalog()
        && (head.readers() == Readers.LISTING || read.by() == Readers.SNAPSHOT);
  }

  private void require(LedgerIndex index, OwnRead read, FolderContents now)
      throws CommitConflictException {
    Footprint replaced = index.replaced();
    Set<String> changed = new TreeSet<>();
    List<Location> folders = new ArrayList<>(read.contents().folders());
    now.folders().stream().filter(read.selects()).forEach(folders::add);
    for (Location folder : folders) {
      String partition = context.paths().partition(folder);
      if (replaced.covers(partition) && !read.contents().in(folder).equals(now.in(folder))) {
        changed.add(partition);
      }
    }
    if (!changed.isEmpty()) {
      throw GuardErrors.changedSinceRead(
          index.id().id(), context.paths().root(), List.copyOf(changed));
    }
  }
}
