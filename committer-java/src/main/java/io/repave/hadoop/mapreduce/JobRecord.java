package io.repave.hadoop.mapreduce;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.RecordNames;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.upload.Retry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What the processes of one MapReduce job know of each other: the commit they work for, and the
 * ledger of each task that committed. Small objects under {@code _repave/}: the job's under its
 * Hadoop id, the ledgers among the commit's records, where vacuum finds those of dead jobs.
 */
final class JobRecord {
  private static final int COMMIT_BYTES_MAX = 1024;
  private static final int LEDGER_BYTES_MAX = 1 << 30;
  private static final String TASK = "task-";

  private final TableAccess access;
  private final ObjectStore store;
  private final Retry retry;
  private final Location at;

  /** {@code job} names the job and its attempt, the same in all of its processes. */
  JobRecord(TableAccess access, String job) throws InvalidConfigException {
    this.access = access;
    store = access.store();
    RetryPolicy policy = access.settings().retryPolicy();
    retry = new Retry(policy);
    at = access.root().resolve(RecordNames.FOLDER + "/jobs/" + job);
  }

  /** Says which commit this job works for; refused when a job of the same id has done so. */
  void create(CommitId commit) throws IOException {
    byte[] folder = commit.folder().getBytes(StandardCharsets.UTF_8);
    try {
      retry.send(() -> store.putIfAbsent(at, ByteBuffer.wrap(folder)));
    } catch (StoreException e) {
      // The answer to one's own first try may be lost, and the second refused: look.
      if (e.kind() != StoreException.Kind.REFUSED || !commit.equals(commit())) {
        throw new CommitFailedException(
            "Another job with the same Hadoop id has written "
                + at
                + ". When no such job runs any more, delete that object; otherwise start this job"
                + " again under an id of its own.",
            e);
      }
    }
  }

  CommitId commit() throws IOException {
    StoredObject stored =
        retry
            .send(() -> store.read(at, COMMIT_BYTES_MAX))
            .orElseThrow(
                () ->
                    new CommitFailedException(
                        at + " is missing: the job was not set up, or is over."));
    return CommitId.parse(new String(stored.content(), StandardCharsets.UTF_8));
  }

  /** Keeps a task's ledger; of several attempts that committed, the last one counts. */
  void putLedger(CommitId commit, String task, byte[] ledger) throws IOException {
    Location place = access.paths().commit(commit).resolve(TASK + task);
    retry.send(() -> store.put(place, ByteBuffer.wrap(ledger)));
  }

  /** Where the ledgers of all tasks that committed lie. */
  List<Location> ledgers(CommitId commit) throws IOException {
    Location folder = access.paths().commit(commit);
    List<Location> found = new ArrayList<>();
    String after = "";
    ListPage page;
    do {
      String from = after;
      page = retry.send(() -> store.list(folder, from));
      for (ListedObject object : page.objects()) {
        if (object.key().startsWith(folder.prefix() + TASK)) {
          found.add(new Location(folder.bucket(), object.key()));
        }
      }
      after = page.last();
    } while (page.more());
    return found;
  }

  byte[] read(Location ledger) throws IOException {
    return retry
        .send(() -> store.read(ledger, LEDGER_BYTES_MAX))
        .orElseThrow(() -> new CommitFailedException("The ledger of a task is missing: " + ledger))
        .content();
  }

  /** Removes what only a running job needs. */
  void delete(List<Location> ledgers) throws IOException {
    List<Location> all = new ArrayList<>(ledgers);
    all.add(at);
    for (int from = 0; from < all.size(); from += ObjectStore.DELETE_PAGE) {
      List<Location> page = all.subList(from, Math.min(all.size(), from + ObjectStore.DELETE_PAGE));
      retry.send(() -> store.delete(page));
    }
  }
}
