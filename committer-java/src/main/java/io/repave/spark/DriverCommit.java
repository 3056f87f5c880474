package io.repave.spark;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Progress;
import io.repave.core.engine.StopSignal;
import io.repave.core.error.CommitErrors;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.TaskBytes;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import io.repave.hadoop.StreamingSinkCheck;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.read.SharedStates;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.runtime.HeldInterrupt;
import io.repave.spark.bridge.SneakyThrow;
import io.repave.spark.catalog.CachedFrames;
import io.repave.spark.catalog.MetastoreFollowing;
import io.repave.spark.catalog.RepeatedOverwrite;
import io.repave.spark.catalog.ReplacedFolders;
import io.repave.spark.catalog.RestoredPartitions;
import io.repave.spark.monitor.CommitLog;
import io.repave.spark.monitor.CommitMonitor;
import io.repave.spark.monitor.LastCommits;
import io.repave.spark.token.WriteToken;
import io.repave.spark.write.ExecutionEnd;
import io.repave.spark.write.GivenOptions;
import io.repave.spark.write.WritePlan;
import io.repave.spark.write.WriteTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;
import scala.collection.Seq;

/** The driver's part of one write, from the set-up until the commit or the abort. */
final class DriverCommit {
  private static final Logger LOG = LoggerFactory.getLogger(DriverCommit.class);
  private static final String FILE_SYSTEM = "fs." + RepaveFileSystem.SCHEME + ".impl";

  private final WriteTarget target;
  private final List<Path> replaced = new ArrayList<>();
  private final List<byte[]> seen = new ArrayList<>();
  private final CommitLog log;
  private final CommitMonitor monitor;
  private StopSignal stop = StopSignal.NEVER;
  private WriteTransaction job;
  private Location table;
  private String stored;
  private Table committed;
  private WriteToken token;
  private TaskMessage messages;
  private RepeatedOverwrite repeated;
  private Optional<RestoredPartitions> restored = Optional.empty();
  private boolean over;
  private boolean marked;

  DriverCommit(WriteTarget target) {
    this.target = target;
    log = new CommitLog(target.commit());
    monitor = CommitMonitor.ofDriver(target.commit(), log);
  }

  /** Adds a folder whose files this write replaces. */
  void replace(Path folder) {
    replaced.add(folder);
  }

  /** The folders to replace, for the fallback protocol. */
  List<Path> replaced() {
    return List.copyOf(replaced);
  }

  /** Remembers the ledger of a task, in case the job is aborted. */
  synchronized void remember(TaskCommitMessage message) {
    if (message.obj() instanceof byte[] ledger && ledger.length > 0) {
      seen.add(ledger);
    }
  }

  /** Begins the job. */
  BegunWrite setupJob(Configuration conf, WritePlan write, GivenOptions options) {
    try {
      SparkRelease.requireSupported();
      TableAccess access = target.access(conf);
      stop = ExecutionEnd.ofThread();
      if (stop.isGiven()) {
        // Spark has forgotten the plan of this write, so it would be treated as another kind.
        throw CommitErrors.stopped(target.commit(), access.root());
      }
      requireNoLateSettings(conf);
      access.settings().check();
      requireFileSystem(conf);
      StreamingSinkCheck.requireNone(access);
      write.requireDistinct(access);
      write.requireNoVersionFolder(access);
      Optional<Readers> requested = access.settings().readers();
      if (requested.isPresent()) {
        // To begin the first job of a snapshot table would already record its readers.
        write.requireReadableEntry(access, requested.get());
      }
      write.requireOrder(access);
      ReplacedFolders folders = new ReplacedFolders(access, conf);
      folders.addAll(replaced);
      if (!target.dynamic()) {
        List<Path> overwritten = write.overwrittenFolders();
        folders.addPlanned(overwritten);
        repeated = new RepeatedOverwrite(access, conf, write.removedFromCatalog(overwritten));
      }
      token = WriteToken.of(access, write, options, target.commit());
      CommitRequest request = request(access, folders.names());
      if (write.appendsByName()) {
        request = request.ofCreation();
      }
      if (target.dynamic()) {
        request = request.within(foldersToStayIn(write, access, conf));
      }
      if (request.kind().replaces()) {
        request = request.guardedBy(request.guards().reading(write.ownReads(access.root())));
      }
      marked = !request.marker().isEmpty();
      monitor.begins(access.root(), request.kind());
      job = access.tableToBegin(monitor, stop, monitor::observe).begin(request);
      write.requireReadableEntry(access, job.readers());
      folders.requireReadable(target.path(), job.readers());
      monitor.began(job);
      // A table that follows by its locations is not written by name, so this is another entry.
      restored = write.restoredPartitions();
      table = access.root();
      stored = StorePath.text(access.settings().text(Setting.STORE_SCHEME), table);
      committed = access.table(Progress.SILENT);
      Location records = access.paths().commit(job.id());
      messages = TaskMessage.of(access, records);
      return new BegunWrite(target, records.key(), job.folder(), job.readers());
    } catch (Throwable e) {
      // Of any kind: the methods of Spark's catalog do not declare what they throw, and classes of
      // another Spark may be missing. A token that stays open would refuse every later write.
      releaseToken();
      monitor.failed(e);
      throw SneakyThrow.as(e);
    }
  }

  /** Spark does not abort a job whose set-up failed. */
  private void releaseToken() {
    if (token != null) {
      token.failed();
    }
  }

  void commitJob(Seq<TaskCommitMessage> tasks) {
    try {
      List<byte[]> received = received(tasks);
      TaskLedgers ledgers = TaskLedgers.fetched(tasks(received));
      UploadCleanup cleanup = new UploadCleanup(target.commit(), job);
      CommitResult result = job.commit(ledgers, cleanup::begin);
      over = true;
      token.committed();
      if (stop.isGiven()) {
        // The statement failed before its commit ended, so the program may try it again.
        token.failed();
      }
      log.summarize(target, token.text(), result, ledgers.requests() + closingPuts());
      monitor.committed(target, result, ledgers.summary().partitions().size());
      LastCommits.JVM.remember(table, target, result);
      try (HeldInterrupt stopped = HeldInterrupt.ofThread()) {
        MetastoreFollowing.afterWrite(
            job.catalogs(), table, catalog -> committed.move(FollowerKind.METASTORE, catalog));
        if (restored.isPresent() && !target.isRepeatedBy(result)) {
          restored.get().afterWrite(committed, job.begun(), result, ledgers.summary().partitions());
        }
        forget(received);
        cleanup.end();
      }
      if (repeated != null && target.isRepeatedBy(result)) {
        repeated.requireNothingRemoved(
            ledgers.summary().partitions(), token.text(), result.version());
      }
    } catch (Throwable e) {
      monitor.failed(e);
      throw SneakyThrow.as(e);
    } finally {
      SharedStates.committed();
    }
    CachedFrames.afterWrite(table, target.path(), stored);
  }

  /** The result counts no PUT of the report and of what follows: head, token and marker. */
  private long closingPuts() {
    return 2 + (token.text().isEmpty() ? 0 : 1) + (marked ? 1 : 0);
  }

  /**
   * Spark calls this after a failure, even if the commit had succeeded. It must not throw, because
   * its exception would hide the one that ended the job.
   */
  void abortJob() {
    if (job == null || over) {
      return;
    }
    token.failed();
    monitor.aborted();
    try (HeldInterrupt stopped = HeldInterrupt.ofThread()) {
      over = job.abort(TaskLedgers.readable(tasks(copyOfSeen()), this::notRead));
    } catch (IOException | RuntimeException e) {
      LOG.warn("Uploads of commit {} may remain. Vacuum removes them.", target.commit(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Logs failures only, because the commit has succeeded. */
  private void forget(List<byte[]> received) {
    try {
      messages.forget(received);
    } catch (IOException | RuntimeException | VirtualMachineError | LinkageError e) {
      LOG.warn("Messages of commit {} may remain. Vacuum removes them.", target.commit(), e);
    }
  }

  private CommitRequest request(TableAccess access, List<String> scope)
      throws InvalidConfigException {
    CommitKind kind =
        target.dynamic()
            ? CommitKind.DYNAMIC
            : scope.isEmpty() ? CommitKind.APPEND : CommitKind.STATIC;
    return new CommitRequest(
            target.commit(), kind, scope, token.text(), token.application(), access.marker())
        .after(token.attempts())
        .by(token.program())
        .guardedBy(access.settings().guards());
  }

  /** Empty when the write may touch a folder that is not known before its tasks run. */
  private static List<String> foldersToStayIn(
      WritePlan write, TableAccess access, Configuration conf) throws InvalidConfigException {
    ReplacedFolders folders = new ReplacedFolders(access, conf);
    return folders.addPlanned(write.staticFolders()) ? folders.names() : List.of();
  }

  /** The abort finds the open uploads of such a task by a listing. */
  private void notRead(IOException e) {
    LOG.warn(
        "Commit {}: the abort goes on without the ledger of a task. Files or uploads of the task may"
            + " remain. Vacuum removes them.",
        target.commit(),
        e);
  }

  private List<TaskBytes> tasks(List<byte[]> received) {
    return received.stream().map(messages::decode).toList();
  }

  private static List<byte[]> received(Seq<TaskCommitMessage> tasks) {
    List<byte[]> received = new ArrayList<>();
    for (Iterator<TaskCommitMessage> each = tasks.iterator(); each.hasNext(); ) {
      if (each.next().obj() instanceof byte[] ledger && ledger.length > 0) {
        received.add(ledger);
      }
    }
    return received;
  }

  private synchronized List<byte[]> copyOfSeen() {
    return List.copyOf(seen);
  }

  private static void requireNoLateSettings(Configuration conf) throws InvalidConfigException {
    SparkEnv spark = SparkEnv.get();
    if (spark != null) {
      RepaveSettings.requireNoneLate(conf, key -> spark.conf().get(key, null));
    }
  }

  private static void requireFileSystem(Configuration conf) throws InvalidConfigException {
    if (!RepaveFileSystem.class.getName().equals(conf.getTrimmed(FILE_SYSTEM))) {
      throw ProtocolErrors.noFileSystem(FILE_SYSTEM);
    }
  }
}
