package io.repave.core.ledger;

import io.repave.core.error.RecordRefused;
import io.repave.core.store.Utf8Order;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The ledgers of all tasks whose messages reached the driver, kept as the bytes they came as. */
public final class TaskLedgers implements Ledger {
  private final List<byte[]> tasks;
  private final LedgerSummary summary;

  public TaskLedgers(List<byte[]> tasks) throws RecordRefused {
    this.tasks = List.copyOf(tasks);
    long files = 0;
    long bytes = 0;
    SortedSet<String> partitions = new TreeSet<>(Utf8Order.KEYS);
    for (byte[] task : this.tasks) {
      TaskLedgerReader reader = new TaskLedgerReader(task);
      files += reader.files();
      bytes += reader.totalBytes();
      partitions.addAll(reader.partitions());
    }
    summary = new LedgerSummary(files, bytes, partitions);
  }

  @Override
  public LedgerSummary summary() {
    return summary;
  }

  @Override
  public Batches batches() {
    return new Pass(tasks.iterator());
  }

  private static final class Pass implements Batches {
    private final Iterator<byte[]> tasks;
    private TaskLedgerReader task;

    Pass(Iterator<byte[]> tasks) {
      this.tasks = tasks;
    }

    @Override
    public Optional<List<Upload>> next() throws RecordRefused {
      List<Upload> batch = new ArrayList<>();
      while (batch.size() < BATCH && advance()) {
        batch.add(task.next());
      }
      return batch.isEmpty() ? Optional.empty() : Optional.of(batch);
    }

    /** Moves to a task with files left; false at the end. */
    private boolean advance() throws RecordRefused {
      while (task == null || !task.hasNext()) {
        if (!tasks.hasNext()) {
          return false;
        }
        task = new TaskLedgerReader(tasks.next());
      }
      return true;
    }
  }
}
