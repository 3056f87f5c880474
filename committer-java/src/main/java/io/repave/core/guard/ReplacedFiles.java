package io.repave.core.guard;

import io.repave.core.engine.FileSink;
import io.repave.core.engine.TableContext;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.Readers;
import io.repave.core.snapshot.FileSorter;
import io.repave.core.snapshot.FileStream;
import io.repave.core.snapshot.FileStream.Placed;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.snapshot.RecordedFacts;
import java.io.IOException;
import java.util.Optional;

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
      FileStream files = listed.files();
      for (Optional<Placed> next = files.next(); next.isPresent(); next = files.next()) {
        sink.file(next.get().partition(), next.get().file());
      }
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
      FileStream files = listed.files();
      for (Optional<Placed> next = files.next(); next.isPresent(); next = files.next()) {
        sink.file(next.get().partition(), facts.known(next.get()));
      }
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
