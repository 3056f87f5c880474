package io.repave.hadoop.upload;

import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedger;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.hadoop.runtime.InterruptibleCall;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of one task. It announces files, which writers then create by their path. It ends
 * with {@link #commit}, which returns the commit message, or with {@link #abort}.
 *
 * <p>A committed attempt may be aborted too: an engine does so when it cannot deliver the message.
 */
public final class TaskAttempt {
  private static final Logger LOG = LoggerFactory.getLogger(TaskAttempt.class);

  private final Location table;
  private final Readers readers;
  private final UploadResources resources;
  private final OpenFiles open;
  private final AttemptState state = new AttemptState();
  private final List<TaskFile> files = new ArrayList<>();
  private volatile Location workFolder;
  private volatile Naming naming;
  private volatile boolean ended;

  public TaskAttempt(Location table, Readers readers, UploadResources resources, OpenFiles open) {
    this.table = table;
    this.readers = readers;
    this.resources = resources;
    this.open = open;
  }

  /**
   * Announces a file in {@code partition}: a folder inside the table, "" for the table itself.
   * Returns the location at which a writer will create it.
   */
  public Location file(String partition, String name) throws IOException {
    return announce(partition, table.resolve(partition), name);
  }

  /** Announces a file of a partition in this folder, inside or outside the table. */
  public Location file(Location folder, String name) throws IOException {
    if (folder.equals(table)) {
      return file("", name);
    }
    return table.holds(folder)
        ? file(table.relative(folder), name)
        : announce(folder.toString(), folder, name);
  }

  /** Whether a file of this name has been announced in this folder. */
  public boolean isAnnounced(Location folder, String name) {
    return open.find(folder.resolve(name)).isPresent();
  }

  /** Makes a unique name of the name that a writer chose for a file. */
  @FunctionalInterface
  public interface Naming {
    String unique(String name);
  }

  /**
   * Opens a work folder below the table, which exists in this JVM only. A file that is created in
   * it belongs to this attempt and to the partition of the same path, and gets a unique name.
   */
  public void workIn(Location folder, Naming unique) {
    naming = unique;
    workFolder = folder;
    open.add(folder, this);
  }

  TaskFile announceWork(String path) throws IOException {
    int slash = path.lastIndexOf('/');
    String partition = slash < 0 ? "" : path.substring(0, slash);
    Location at = file(partition, naming.unique(path.substring(slash + 1)));
    return open.find(at).orElseThrow();
  }

  /** Waits for every request, and fails with the first failure of any file. */
  public byte[] commit() throws IOException {
    List<TaskFile> written = written();
    state.check(table);
    for (TaskFile file : written) {
      file.requireClosed();
    }
    await(written.stream().map(TaskFile::settled).toList());
    state.check(table);
    TaskLedger ledger = new TaskLedger();
    for (TaskFile file : written) {
      ledger.add(file.toUpload());
    }
    forget();
    ended = true;
    return ledger.encode();
  }

  /**
   * Undoes every file, and returns when the store has answered. An interrupted caller does not
   * wait: the pool continues to undo.
   */
  public void abort() throws IOException {
    ended = true;
    state.abort();
    forget();
    List<CompletableFuture<Void>> undone = snapshot().stream().map(TaskFile::discard).toList();
    try {
      await(undone);
    } catch (InterruptedIOException e) {
      // The interrupt flag is set again. An exception would hide why the task was aborted.
      LOG.debug("Uploads to {} are being aborted in the background.", table);
    }
  }

  /** Aborts the attempt if its engine has neither committed nor aborted it. */
  public void abortUnlessEnded() throws IOException {
    if (!ended) {
      abort();
    }
  }

  private synchronized Location announce(String partition, Location folder, String name)
      throws IOException {
    RecordNames.checkPartition(partition, "of the files that this task writes");
    RecordNames.checkName(PartFileName.withoutFolder(name), "of the files that this task writes");
    Location at = folder.resolve(name);
    TaskFile file = new TaskFile(partition, name, new FileUpload(resources, state, readers, at));
    open.add(file);
    files.add(file);
    return at;
  }

  /** Whether any file was created. */
  public boolean hasFiles() {
    return !written().isEmpty();
  }

  /** Whether a request failed, or the attempt was aborted. Then it cannot commit any more. */
  boolean hasFailed() {
    return state.stopped().getCount() == 0;
  }

  private synchronized List<TaskFile> snapshot() {
    return List.copyOf(files);
  }

  private List<TaskFile> written() {
    return snapshot().stream().filter(TaskFile::isWritten).toList();
  }

  private void forget() {
    snapshot().forEach(open::remove);
    if (workFolder != null) {
      open.remove(workFolder);
    }
  }

  private static void await(List<CompletableFuture<Void>> all) throws IOException {
    InterruptibleCall.run(
        "Interrupted while waiting for the uploads of a task.",
        () -> {
          try {
            return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();
          } catch (ExecutionException e) {
            throw UploadErrors.endedUnexpectedly(e.getCause());
          }
        });
  }
}
