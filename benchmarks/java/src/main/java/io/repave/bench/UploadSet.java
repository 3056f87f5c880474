package io.repave.bench;

import io.repave.core.ledger.TaskLedgerReader;
import io.repave.core.ledger.Upload;
import io.repave.core.record.TablePaths;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.ParallelRunner;
import io.repave.core.store.PendingUpload;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.runtime.BoundedParallelRunner;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The open uploads of a task or a job, and the partitions that they go to. */
final class UploadSet {
  /** As many requests at a time as Repave's commit sends, by default. */
  private static final ParallelRunner RUNNER =
      new BoundedParallelRunner(
          "emrfs-stand-in", Integer.parseInt(Setting.COMMIT_THREADS.fallback()));

  private final ObjectStore store;
  private final TablePaths paths;
  private final List<Upload> uploads;

  private UploadSet(ObjectStore store, TablePaths paths, List<Upload> uploads) {
    this.store = store;
    this.paths = paths;
    this.uploads = uploads;
  }

  static UploadSet of(TableAccess access, List<byte[]> ledgers) throws IOException {
    List<Upload> uploads = new ArrayList<>();
    for (byte[] ledger : ledgers) {
      TaskLedgerReader reader = new TaskLedgerReader(ledger);
      while (reader.hasNext()) {
        uploads.add(reader.next());
      }
    }
    return new UploadSet(access.store(), access.paths(), uploads);
  }

  void complete() throws IOException {
    each(
        uploads,
        upload ->
            store.complete(
                new PendingUpload(
                    paths.file(upload.partition(), upload.name()),
                    upload.uploadId(),
                    upload.bytes(),
                    upload.etags())));
  }

  /** Deletes every file of the partitions that the uploads go to; open uploads are no files. */
  void deletePartitions() throws IOException {
    Set<String> partitions = new TreeSet<>();
    uploads.forEach(upload -> partitions.add(upload.partition()));
    each(partitions, partition -> deleteFolder(paths.folder(partition)));
  }

  private void deleteFolder(Location folder) throws IOException {
    List<Location> page = new ArrayList<>();
    for (ListPage listed = store.list(folder, ""); ; listed = store.list(folder, listed.last())) {
      for (ListedObject object : listed.objects()) {
        page.add(new Location(folder.bucket(), object.key()));
        if (page.size() == ObjectStore.DELETE_PAGE) {
          delete(page);
        }
      }
      if (!listed.more()) {
        break;
      }
    }
    delete(page);
  }

  private void delete(List<Location> page) throws IOException {
    if (!page.isEmpty() && !store.delete(page).isEmpty()) {
      throw new IOException("The store refused to delete files of a replaced partition.");
    }
    page.clear();
  }

  private static <T> void each(Iterable<T> items, ParallelRunner.Action<T> action)
      throws IOException {
    try {
      RUNNER.each(items.iterator(), action);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted in a commit of the stand-in.");
    }
  }
}
