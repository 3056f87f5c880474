package io.repave.hadoop.mapreduce;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Progress;
import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskBytes;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.record.RecordNames;
import io.repave.core.store.Location;
import io.repave.hadoop.Setting;
import io.repave.hadoop.StreamingSinkCheck;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.read.SharedStates;
import io.repave.hadoop.runtime.HeldInterrupt;
import io.repave.hadoop.runtime.InterruptibleCall;
import io.repave.hadoop.upload.OpenFiles;
import io.repave.hadoop.upload.TaskAttempt;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends the output of a job to a table. Each task writes into a work folder that exists only in
 * its own process. Its files are uploads to their final keys, which the job's commit completes.
 */
public final class RepaveCommitter extends PathOutputCommitter {
  private static final Logger LOG = LoggerFactory.getLogger(RepaveCommitter.class);

  private final Path output;
  private final TableAccess access;
  private JobRecord record;
  private final TaskAttemptID id;
  private final Configuration conf;
  private WriteTransaction job;
  private CommitId commit;
  private TaskAttempt attempt;
  private boolean ledgerSent;
  private final Map<String, SentLedger> received = new HashMap<>();

  public RepaveCommitter(Path output, TaskAttemptContext context) throws IOException {
    super(output, context);
    this.output = output;
    conf = context.getConfiguration();
    access = TableAccess.of(conf, output.toString());
    id = context.getTaskAttemptID();
    record = new JobRecord(access, jobName(id.getJobID()));
  }

  private String jobName(JobID job) {
    return job + "-" + conf.getInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 0);
  }

  @Override
  public Path getOutputPath() {
    return output;
  }

  /**
   * The folder that this task writes to. It is called before the first file of the task. Spark gets
   * the path from one committer and commits with another, so the attempt is found by its folder.
   */
  @Override
  public synchronized Path getWorkPath() throws IOException {
    if (attempt().isEmpty()) {
      commit = record.commitOfTask(conf);
      // A task does not read the head. Uploads are safe for every kind of readers.
      Readers readers = access.settings().readers().orElse(Readers.LISTING);
      attempt = access.beginTask(readers);
      attempt.workIn(workFolder(), this::uniqueName);
    }
    return new Path(TableAccess.writerPath(workFolder().resolve(access.folder())));
  }

  private Location workFolder() {
    return access.root().resolve("@work-" + id);
  }

  private Optional<TaskAttempt> attempt() {
    return attempt != null ? Optional.of(attempt) : OpenFiles.JVM.attempt(workFolder());
  }

  /** Makes {@code part-r-00003.gz} and {@code named-r-00003.gz} unique, and keeps the suffix. */
  private String uniqueName(String name) {
    // A name that begins with a dot keeps it, and so stays hidden from readers.
    int dot = name.indexOf('.', 1);
    String stem = dot < 0 ? name : name.substring(0, dot);
    String suffix = dot < 0 ? "" : name.substring(dot);
    int split = id.getTaskID().getId();
    return PartFileName.of(stem + "-", split, commit.id(), attemptNumber(), suffix);
  }

  /** Differs between a map task and a reduce task, whose other numbers may be the same. */
  private long attemptNumber() {
    return 2L * id.getId() + (id.getTaskType() == TaskType.REDUCE ? 1 : 0);
  }

  @Override
  public void setupJob(JobContext context) throws IOException {
    access.settings().check();
    if (!access.settings().text(Setting.TOKEN).isEmpty()) {
      throw JobErrors.token(access.root());
    }
    StreamingSinkCheck.requireNone(access);
    CommitRequest request =
        new CommitRequest(
                UUID.randomUUID().toString(), CommitKind.APPEND, List.of(), "", access.marker())
            .guardedBy(access.settings().guards());
    job = awaited(() -> access.tableToBegin(Progress.SILENT).begin(request));
    if (!job.folder().isEmpty()) {
      throw JobErrors.followedByCatalog(access.root());
    }
    // Spark creates the job's committer with an attempt of another id than its tasks have.
    record = new JobRecord(access, jobName(context.getJobID()));
    record.create(job.id());
    record.tell(job.id(), context.getConfiguration());
    LedgerInbox.JVM.open(job.id().id());
  }

  @Override
  public void setupTask(TaskAttemptContext context) {
    // Nothing is needed before the first file.
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context) {
    return attempt().filter(TaskAttempt::hasFiles).isPresent();
  }

  @Override
  public void commitTask(TaskAttemptContext context) throws IOException {
    if (needsTaskCommit(context)) {
      attempt = attempt().orElseThrow();
      byte[] ledger = attempt.commit();
      CommitId of = record.commitOfTask(conf);
      ledgerSent = true;
      LedgerAnswer answer = send(of, ledger);
      if (answer == LedgerAnswer.ENDED || answer == LedgerAnswer.UNKNOWN && !record.isOf(of)) {
        // To store it would leave an object in the folder, and the save could not be run again.
        ledgerSent = false;
        throw JobErrors.ended(of);
      }
      if (answer != LedgerAnswer.TAKEN) {
        record.putLedger(of, id, ledger);
      }
    }
  }

  private LedgerAnswer send(CommitId of, byte[] ledger) throws IOException {
    return ledger.length <= access.settings().messageBytes()
        ? LedgerMessages.JVM.send(
            new SentLedger(of.id(), id.getTaskID().toString(), id.getId(), ledger))
        : LedgerAnswer.STORE;
  }

  /**
   * Keeps the files of an attempt whose ledger may be in the store, even if the request failed. The
   * job's commit may read that ledger, and then it needs the files; otherwise it removes them.
   */
  @Override
  public void abortTask(TaskAttemptContext context) throws IOException {
    if (!ledgerSent && attempt().isPresent()) {
      attempt().get().abort();
    }
  }

  @Override
  public void commitJob(JobContext context) throws IOException {
    requireJob();
    closeInbox();
    List<AttemptLedger> stored = record.ledgers(job.id());
    try {
      awaited(() -> job.commit(insideTheTable(TaskLedgers.fetched(chosen(stored)))));
    } finally {
      SharedStates.committed();
    }
    cleanUp(stored);
    LedgerInbox.JVM.forget(job.id().id());
  }

  /** Tasks write below their work folders, so no ledger of theirs names a folder outside. */
  private TaskLedgers insideTheTable(TaskLedgers ledgers) throws InvalidRecordException {
    for (String partition : ledgers.summary().partitions()) {
      if (RecordNames.isOutside(partition)) {
        throw FormatErrors.taskLedgerOutside(partition, access.paths().commit(job.id()));
      }
    }
    return ledgers;
  }

  /**
   * Spark aborts a job whose thread was interrupted, too, and requests of such a thread fail. It
   * throws nothing, because an exception would hide the one that ended the job.
   */
  @Override
  public void abortJob(JobContext context, JobStatus.State state) {
    if (job == null) {
      return;
    }
    try (HeldInterrupt stopped = HeldInterrupt.ofThread()) {
      // Before the listing: a ledger that is stored later would not be deleted.
      closeInbox();
      List<AttemptLedger> stored = listed();
      if (awaited(() -> job.abort(TaskLedgers.readable(chosen(stored), this::notRead)))) {
        cleanUp(stored);
      }
    } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
      LOG.warn("Uploads of commit {} may remain. Vacuum removes them.", job.id().folder(), e);
    } finally {
      LedgerInbox.JVM.forget(job.id().id());
    }
  }

  /** The abort can do without: it finds the open uploads of the job by a listing, too. */
  private List<AttemptLedger> listed() {
    try {
      return record.ledgers(job.id());
    } catch (IOException e) {
      notRead(e);
      return List.of();
    }
  }

  private void notRead(IOException e) {
    LOG.warn(
        "Commit {}: the abort goes on without stored ledgers. Files or uploads of tasks may remain."
            + " Vacuum removes them.",
        job.id().folder(),
        e);
  }

  /** Logs failures only, of any kind: the commit, or the abort, has succeeded. */
  private void cleanUp(List<AttemptLedger> ledgers) {
    try (HeldInterrupt stopped = HeldInterrupt.ofThread()) {
      awaited(job::abortLostUploads);
      record.delete(ledgers);
    } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
      LOG.warn(
          "Temporary records of commit {} were not deleted. Vacuum removes them.",
          job.id().folder(),
          e);
    }
  }

  /**
   * One ledger of each task, that of the attempt with the highest number. A task has several if a
   * message arrived and its answer did not, or if several attempts committed. The choice is made
   * once: the commit reads the ledgers several times, and would mix the files of two attempts
   * otherwise.
   */
  private List<TaskBytes> chosen(List<AttemptLedger> stored) {
    Map<String, TaskBytes> tasks = new TreeMap<>();
    received.forEach((task, sent) -> tasks.put(task, TaskBytes.inMemory(sent.ledger())));
    for (AttemptLedger each : AttemptLedger.lastOfEachTask(stored)) {
      SentLedger sent = received.get(each.task());
      if (sent == null || sent.attempt() < each.attempt()) {
        tasks.put(each.task(), () -> record.read(each.at()));
      }
    }
    return List.copyOf(tasks.values());
  }

  /** An abort may follow a commit that failed, and needs the same ledgers. */
  private void closeInbox() {
    received.putAll(LedgerInbox.JVM.close(job.id().id()));
  }

  private void requireJob() throws IOException {
    if (job == null) {
      throw JobErrors.otherProcess();
    }
  }

  private static <T> T awaited(InterruptibleCall<T> call) throws IOException {
    return InterruptibleCall.run("Interrupted during the commit of a job.", call);
  }

  @Override
  public String toString() {
    return "RepaveCommitter{" + output + "}";
  }
}
