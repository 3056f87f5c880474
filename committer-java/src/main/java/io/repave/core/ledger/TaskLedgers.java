package io.repave.core.ledger;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The ledgers of all tasks whose commit messages reached the driver. They are kept as bytes. Those
 * that tasks wrote to the store are kept too, within a limit, once they are fetched; the others are
 * fetched again in each pass, one at a time.
 */
public final class TaskLedgers implements Ledger {
  private static final long KEPT_BYTES_MAX = 32L << 20;

  private final List<TaskBytes> tasks;
  private final LedgerSummary summary;
  private final long requests;

  public TaskLedgers(List<byte[]> tasks) throws InvalidRecordException {
    this.tasks = tasks.stream().map(TaskBytes::inMemory).toList();
    Totals totals = new Totals();
    for (byte[] task : tasks) {
      totals.add(task);
    }
    summary = totals.summary();
    requests = totals.requests;
  }

  private TaskLedgers(List<TaskBytes> tasks, Totals totals) {
    this.tasks = List.copyOf(tasks);
    summary = totals.summary();
    requests = totals.requests;
  }

  /** No files. */
  public static TaskLedgers none() {
    return new TaskLedgers(List.of(), new Totals());
  }

  /** The ledger of one task. */
  public static TaskLedgers of(TaskLedger task) throws InvalidRecordException {
    return new TaskLedgers(List.of(task.encode()));
  }

  /** Ledgers that may have to be fetched. */
  public static TaskLedgers fetched(List<TaskBytes> tasks)
      throws IOException, InterruptedException {
    return fetched(tasks, KEPT_BYTES_MAX);
  }

  /** The same, of which at most {@code keptBytesMax} bytes that were fetched stay in memory. */
  public static TaskLedgers fetched(List<TaskBytes> tasks, long keptBytesMax)
      throws IOException, InterruptedException {
    Fetched all = new Fetched(keptBytesMax);
    for (TaskBytes task : tasks) {
      all.add(task);
    }
    return new TaskLedgers(all.tasks, all.totals);
  }

  /**
   * Those ledgers that can be read, for an abort, which must not fail for the others. After the
   * first failure no more are fetched: each attempt may take as long as the retries of a request.
   */
  public static TaskLedgers readable(List<TaskBytes> tasks, Consumer<IOException> failure)
      throws InterruptedException {
    Fetched all = new Fetched(KEPT_BYTES_MAX);
    boolean failed = false;
    for (TaskBytes task : tasks) {
      if (failed && !task.isInMemory()) {
        continue;
      }
      try {
        all.add(task);
      } catch (IOException e) {
        failed = true;
        failure.accept(e);
      }
    }
    return new TaskLedgers(all.tasks, all.totals);
  }

  private static final class Fetched {
    private final List<TaskBytes> tasks = new ArrayList<>();
    private final Totals totals = new Totals();
    private long bytesLeft;

    Fetched(long keptBytesMax) {
      bytesLeft = keptBytesMax;
    }

    void add(TaskBytes task) throws IOException, InterruptedException {
      byte[] bytes = task.read();
      totals.add(bytes);
      if (task.isInMemory() || bytes.length > bytesLeft) {
        tasks.add(task);
      } else {
        bytesLeft -= bytes.length;
        tasks.add(TaskBytes.inMemory(bytes));
      }
    }
  }

  private static final class Totals {
    private final SortedSet<String> partitions = new TreeSet<>(Utf8Order.KEYS);
    private long files;
    private long bytes;
    private long requests;

    void add(byte[] task) throws InvalidRecordException {
      TaskLedgerReader reader = new TaskLedgerReader(task);
      files += reader.files();
      bytes += reader.totalBytes();
      requests += reader.requests();
      partitions.addAll(reader.partitions());
    }

    LedgerSummary summary() {
      return new LedgerSummary(files, bytes, partitions);
    }
  }

  @Override
  public LedgerSummary summary() {
    return summary;
  }

  /** The requests of the tasks that made the files, all at the price of a PUT. */
  public long requests() {
    return requests;
  }

  @Override
  public boolean fetchesTasks() {
    return !tasks.stream().allMatch(TaskBytes::isInMemory);
  }

  @Override
  public Batches batches() {
    return new Pass(tasks.iterator());
  }

  private static final class Pass implements Batches {
    private static final int PARTS_A_BATCH = 1_000_000;

    private final Iterator<TaskBytes> tasks;
    private final SchemaList schemas = new SchemaList();
    private TaskLedgerReader task;

    Pass(Iterator<TaskBytes> tasks) {
      this.tasks = tasks;
    }

    @Override
    public Optional<List<Upload>> next() throws IOException, InterruptedException {
      List<Upload> batch = new ArrayList<>();
      int parts = 0;
      // A record of 10,000 files with very many parts would be too large to read.
      while (batch.size() < BATCH && parts < PARTS_A_BATCH && advance()) {
        Upload upload = task.next();
        batch.add(upload);
        parts += upload.etags().size();
      }
      return batch.isEmpty() ? Optional.empty() : Optional.of(batch);
    }

    /** Moves to a task with files left; false at the end. */
    private boolean advance() throws IOException, InterruptedException {
      while (task == null || !task.hasNext()) {
        if (!tasks.hasNext()) {
          return false;
        }
        task = new TaskLedgerReader(tasks.next().read(), schemas);
      }
      return true;
    }
  }
}
