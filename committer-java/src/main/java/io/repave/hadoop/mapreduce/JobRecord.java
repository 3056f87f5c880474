package io.repave.hadoop.mapreduce;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.TablePaths;
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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/**
 * What the processes of one MapReduce job or RDD save share: the id of their commit, and the
 * ledgers that tasks could not send. They are small objects under {@code _repave/}. The id is
 * stored under the Hadoop id of the job. The ledgers are stored among the records of the commit,
 * where vacuum finds those of dead jobs.
 */
final class JobRecord {
  private static final int COMMIT_BYTES_MAX = 1024;

  /** In the job's configuration: its name and its commit. */
  private static final String TOLD = "io.repave.commit";

  private final TableAccess access;
  private final ObjectStore store;
  private final RequestRetry retry;
  private final LedgerObjects stored;
  private final String job;
  private final Location at;
  private boolean isOwn;

  /** {@code job} names the job and its attempt. It is the same in all processes of the job. */
  JobRecord(TableAccess access, String job) throws InvalidConfigException {
    this.access = access;
    this.job = job;
    store = access.store();
    retry = access.retry();
    stored = new LedgerObjects(store, retry);
    at = access.paths().jobs().resolve(job);
  }

  /** Stores the commit of this job. Fails if another job with the same id has stored one. */
  void create(CommitId commit) throws IOException {
    byte[] folder = commit.folder().getBytes(StandardCharsets.UTF_8);
    Optional<byte[]> existing;
    try {
      existing = retry.putNew(store, at, folder);
    } catch (StoreException e) {
      throw JobErrors.notRecorded(at, e);
    }
    if (existing.isPresent() && !Arrays.equals(existing.get(), folder)) {
      throw JobErrors.sameHadoopId(at);
    }
    isOwn = true;
  }

  /**
   * Tells the tasks their commit, if they get the configuration of the driver as it is now. In
   * Spark they usually do; in MapReduce theirs is older.
   */
  void tell(CommitId commit, Configuration conf) {
    conf.set(TOLD, job + " " + commit.folder());
  }

  /**
   * The commit of this job, in a task. The configuration may be left from an earlier job, whose
   * name differs; then the store is asked: 1 GET.
   */
  CommitId commitOfTask(Configuration conf) throws IOException {
    String told = conf.get(TOLD, "");
    return told.startsWith(job + " ") ? CommitId.parse(told.substring(job.length() + 1)) : commit();
  }

  private CommitId commit() throws IOException {
    return found().orElseThrow(() -> JobErrors.notSetUp(at));
  }

  /** Whether the job of this commit has not ended: 1 GET. */
  boolean isOf(CommitId commit) throws IOException {
    return found().filter(commit::equals).isPresent();
  }

  private Optional<CommitId> found() throws IOException {
    Optional<StoredObject> found = retry.send(() -> store.read(at, COMMIT_BYTES_MAX));
    return found.isPresent()
        ? Optional.of(CommitId.parse(new String(found.get().content(), StandardCharsets.UTF_8)))
        : Optional.empty();
  }

  /**
   * Stores the ledger of an attempt of a task. Each attempt has an object of its own: an attempt
   * that its engine gave up must not replace a ledger that the job's commit is reading.
   */
  void putLedger(CommitId commit, TaskAttemptID attempt, byte[] ledger) throws IOException {
    String name = TablePaths.TASK + attempt.getTaskID() + "-" + attempt.getId();
    stored.put(access.paths().commit(commit).resolve(name), ledger);
  }

  /** The stored ledgers of all attempts. */
  List<AttemptLedger> ledgers(CommitId commit) throws IOException {
    Location folder = access.paths().commit(commit);
    List<AttemptLedger> found = new ArrayList<>();
    String prefix = folder.prefix() + TablePaths.TASK;
    String after = "";
    ListPage page;
    do {
      String from = after;
      page = retry.send(() -> store.list(folder, from));
      for (ListedObject object : page.objects()) {
        if (object.key().startsWith(prefix)) {
          String name = object.key().substring(prefix.length());
          AttemptLedger.of(name, new Location(folder.bucket(), object.key())).ifPresent(found::add);
        }
      }
      after = page.last();
    } while (page.more());
    return found;
  }

  byte[] read(Location ledger) throws IOException {
    return stored.read(ledger);
  }

  /**
   * Deletes the objects that only a running job needs. A job that was refused because another one
   * has its id leaves that job's record.
   */
  void delete(List<AttemptLedger> ledgers) throws IOException {
    List<Location> all = new ArrayList<>();
    ledgers.forEach(ledger -> all.add(ledger.at()));
    if (isOwn) {
      all.add(at);
    }
    stored.delete(all);
  }
}
