package io.repave.core.guard;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.FileSorter;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.snapshot.RecordedFacts;
import java.io.IOException;

/**
 * The data files that a commit would replace, sorted by partition.
 *
 * <p>Requests: on a listing table one scan of the replaced folders; on a snapshot table those of
 * {@link LiveFiles}.
 */
final class ReplacedFiles {
  private final TableContext context;
  private final LedgerIndex index;
  private final Footprint replaced;
  private final Head head;

  /** {@code head} is the one in which the commit would be reserved. */
  ReplacedFiles(TableContext context, LedgerIndex index, Head head) {
    this.context = context;
    this.index = index;
    this.replaced = index.replaced();
    this.head = head;
  }

  /** Passes on the files, without a look-up of their rows. */
  void each(FileSink sink) throws IOException, InterruptedException {
    if (head.readers() == Readers.SNAPSHOT) {
      recorded(sink);
      return;
    }
    try (FileSorter listed = listed()) {
      listed.files().each(sink);
    }
  }

  /** Passes on the files with their rows, as far as records tell them. */
  void eachWithRows(FileSink sink) throws IOException, InterruptedException {
    if (head.readers() == Readers.SNAPSHOT) {
      recorded(sink);
      return;
    }
    try (FileSorter listed = listed();
        RecordedFacts facts = new RecordedFacts(context, head, replaced)) {
      listed.files().each((partition, file) -> sink.file(partition, facts.known(partition, file)));
    }
  }

  private void recorded(FileSink sink) throws IOException, InterruptedException {
    try (LiveFiles.Open old = new LiveFiles(context).covered(head, head.version(), replaced)) {
      old.each(sink);
    }
  }

  private FileSorter listed() throws IOException, InterruptedException {
    FileSorter listed = new FileSorter(context);
    if (!replaced.isEmpty()) {
      TouchedListing.exceptOf(context, index.id()).run(replaced.folders(), listed::add);
    }
    return listed;
  }
}
