package io.repave.hadoop.mapreduce;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.RecordNames;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoredObject;
import io.repave.hadoop.LedgerObjects;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.runtime.RequestRetry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What the processes of one MapReduce job share: the id of their commit, and the ledger of each
 * committed task. They are small objects under {@code _repave/}. The id is stored under the Hadoop
 * id of the job. The ledgers are stored among the records of the commit, where vacuum finds those
 * of dead jobs.
 */
final class JobRecord {
  private static final int COMMIT_BYTES_MAX = 1024;
  private static final String TASK = "task-";

  private final TableAccess access;
  private final ObjectStore store;
  private final RequestRetry retry;
  private final LedgerObjects stored;
  private final Location at;

  /** {@code job} names the job and its attempt. It is the same in all processes of the job. */
  JobRecord(TableAccess access, String job) throws InvalidConfigException {
    this.access = access;
    store = access.store();
    retry = access.retry();
    stored = new LedgerObjects(store, retry);
    at = access.root().resolve(RecordNames.FOLDER + "/jobs/" + job);
  }

  /** Stores the commit of this job. Fails if another job with the same id has stored one. */
  void create(CommitId commit) throws IOException {
    byte[] folder = commit.folder().getBytes(StandardCharsets.UTF_8);
    try {
      retry.send(() -> store.putIfAbsent(at, ByteBuffer.wrap(folder)));
    } catch (StoreException e) {
      // The first try may have succeeded without a usable response: read back.
      if (e.kind() != StoreException.Kind.REFUSED || !commit.equals(commit())) {
        throw JobErrors.sameHadoopId(at, e);
      }
    }
  }

  CommitId commit() throws IOException {
    StoredObject stored =
        retry
            .send(() -> store.read(at, COMMIT_BYTES_MAX))
            .orElseThrow(() -> JobErrors.notSetUp(at));
    return CommitId.parse(new String(stored.content(), StandardCharsets.UTF_8));
  }

  /** Stores the ledger of a task. If several attempts commit, the last one counts. */
  void putLedger(CommitId commit, String task, byte[] ledger) throws IOException {
    stored.put(access.paths().commit(commit).resolve(TASK + task), ledger);
  }

  /** The locations of the ledgers of all committed tasks. */
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
    return stored.read(ledger);
  }

  /** Deletes the objects that only a running job needs. */
  void delete(List<Location> ledgers) throws IOException {
    List<Location> all = new ArrayList<>(ledgers);
    all.add(at);
    stored.delete(all);
  }
}
