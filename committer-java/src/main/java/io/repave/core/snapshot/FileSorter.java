package io.repave.core.snapshot;

import io.repave.core.engine.TableContext;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.SchemaList;
import io.repave.core.record.FileEntry;
import io.repave.core.snapshot.FileStream.Placed;
import io.repave.core.store.Scratch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Sorts any number of files, which come from any thread, with a bounded number of them in memory.
 * The others go to temporary files in sorted runs, which are merged when they are read.
 */
public final class FileSorter implements AutoCloseable {
  /** About 20 MB of heap. */
  static final int IN_MEMORY = 100_000;

  private final Scratch scratch;
  private final int inMemory;
  private final List<SortedRun> runs = new ArrayList<>();
  private final SchemaList schemas = new SchemaList();
  private List<Placed> collected = new ArrayList<>();
  private long count;

  public FileSorter(TableContext context) {
    this(context.ports().scratch(), IN_MEMORY);
  }

  FileSorter(Scratch scratch, int inMemory) {
    this.scratch = scratch;
    this.inMemory = inMemory;
  }

  public synchronized void add(String partition, FileEntry file)
      throws IOException, InterruptedException {
    FileFacts facts = schemas.shared(file.facts());
    FileEntry kept = facts == file.facts() ? file : new FileEntry(file.name(), file.bytes(), facts);
    collected.add(new Placed(partition, kept));
    count++;
    if (collected.size() >= inMemory) {
      runs.add(SortedRun.of(scratch, inOrder()));
      collected = new ArrayList<>();
    }
  }

  synchronized long count() {
    return count;
  }

  /** A pass over all files, in order. */
  public synchronized FileStream files() throws IOException {
    List<FileStream> sources = new ArrayList<>();
    for (SortedRun run : runs) {
      sources.add(run.files());
    }
    sources.add(inOrder());
    return new FileMerge(sources);
  }

  private FileStream inOrder() {
    collected.sort(Placed.ORDER);
    return FileStream.of(collected.iterator());
  }

  @Override
  public void close() throws IOException {
    for (SortedRun run : runs) {
      run.close();
    }
  }
}
