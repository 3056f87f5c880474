package io.repave.spark;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CommitResult;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitKind;
import io.repave.core.store.ListPage;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.upload.Retry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;
import scala.collection.Seq;

/** The driver's part of one write: from before its first task until it is committed or given up. */
final class DriverCommit {
  private static final Logger LOG = LoggerFactory.getLogger(DriverCommit.class);
  private static final String FILE_SYSTEM = "fs." + RepaveFileSystem.SCHEME + ".impl";

  private final WriteTarget target;
  private final List<Path> replaced = new ArrayList<>();
  private final List<byte[]> seen = new ArrayList<>();
  private final CommitLog log;
  private final CommitMonitor monitor;
  private WriteTransaction job;
  private Location table;
  private WriteToken token;
  private TaskMessage messages;
  private boolean over;

  DriverCommit(WriteTarget target) {
    this.target = target;
    log = new CommitLog(target.commit());
    monitor = CommitMonitor.ofDriver(target.commit(), log);
  }

  /** Remembers a folder whose files this write replaces. */
  void replace(Path folder) {
    replaced.add(folder);
  }

  /** The folders to replace, for the protocol that the job is handed over to. */
  List<Path> replaced() {
    return List.copyOf(replaced);
  }

  /** Remembers what a task wrote, for the case that the job is given up. */
  synchronized void remember(TaskCommitMessage message) {
    if (message.obj() instanceof byte[] ledger && ledger.length > 0) {
      seen.add(ledger);
    }
  }

  /** Begins the job; returns the key of the folder that will hold its records. */
  String setupJob(Configuration conf) {
    try {
      TableAccess access = target.access(conf);
      access.settings().check();
      requireFileSystem(conf);
      refuseStreamingSink(access);
      RunningWrite write = RunningWrite.to(target.path());
      write.requireReadableEntry(access);
      if (!target.dynamic() && replaced.isEmpty()) {
        write.overwrites().ifPresent(replaced::add);
      }
      token = WriteToken.of(access);
      CommitRequest request = request(access, conf);
      monitor.begins(access.root(), request.kind());
      job = access.tableToBegin(monitor, monitor::observe).begin(request);
      monitor.began(job);
      table = access.root();
      Location records = access.paths().commit(job.id());
      messages = TaskMessage.of(access, records);
      return records.key();
    } catch (IOException | InterruptedException e) {
      giveUpToken();
      monitor.failed(e);
      throw Rethrown.as(e);
    } catch (RuntimeException e) {
      giveUpToken();
      monitor.failed(e);
      throw e;
    }
  }

  /** Spark aborts no job that could not be set up. */
  private void giveUpToken() {
    if (token != null) {
      token.failed();
    }
  }

  void commitJob(Seq<TaskCommitMessage> tasks) {
    try {
      List<byte[]> received = received(tasks);
      TaskLedgers ledgers = ledgers(received);
      CommitResult result = job.commit(ledgers);
      over = true;
      token.committed();
      log.summarize(target, token.text(), result);
      monitor.committed(target, result, ledgers.summary().partitions().size());
      LastCommits.JVM.remember(table, target, result);
      sweep(received);
    } catch (IOException | InterruptedException e) {
      monitor.failed(e);
      throw Rethrown.as(e);
    }
  }

  /**
   * Spark calls this after a commit that threw, even after one that succeeded. It must not throw:
   * the user would see its exception instead of the one that ended the job.
   */
  void abortJob() {
    if (job == null || over) {
      return;
    }
    token.failed();
    monitor.aborted();
    try {
      List<byte[]> told = copyOfSeen();
      over = job.abort(ledgers(told));
      if (over) {
        messages.forget(told);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Uploads of commit {} may be left; vacuum removes them.", target.commit(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Gives up what lost attempts left open. The commit stands, whatever becomes of this. */
  private void sweep(List<byte[]> received) {
    try {
      messages.forget(received);
      int swept = job.sweep();
      if (swept > 0) {
        LOG.info("Commit {}: aborted {} uploads of lost attempts", target.commit(), swept);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Uploads of lost attempts of {} may be left.", target.commit(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private CommitRequest request(TableAccess access, Configuration conf) throws IOException {
    List<String> scope = new ArrayList<>();
    for (Path folder : replaced) {
      Location at = CustomLocation.of(access, conf, folder);
      scope.add(access.paths().partition(at));
    }
    CommitKind kind =
        target.dynamic()
            ? CommitKind.DYNAMIC
            : scope.isEmpty() ? CommitKind.APPEND : CommitKind.STATIC;
    return new CommitRequest(
        target.commit(), kind, scope, token.text(), token.application(), marker(access));
  }

  private static String marker(TableAccess access) throws InvalidConfigException {
    if (!access.settings().marksSuccess()) {
      return "";
    }
    return access.folder().isEmpty() ? "_SUCCESS" : access.folder() + "/_SUCCESS";
  }

  private TaskLedgers ledgers(List<byte[]> received) throws IOException, InterruptedException {
    return TaskLedgers.fetched(received.stream().map(messages::decode).toList());
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

  /** Costs 1 LIST, and saves a job whose rows nobody would see. */
  private static void refuseStreamingSink(TableAccess access) throws IOException {
    Location folder = access.root().resolve(access.folder());
    Location log = folder.resolve("_spark_metadata");
    Retry retry = new Retry(access.settings().retryPolicy());
    ListPage page = retry.send(() -> access.store().list(log, ""), new CountDownLatch(1));
    if (!page.objects().isEmpty()) {
      throw new InvalidConfigException(
          folder
              + " is written by a streaming query: Spark reads there only the files that its"
              + " _spark_metadata lists, so a batch write would never be seen. Write to another"
              + " folder, or delete _spark_metadata when the query is gone for good.");
    }
  }

  private static void requireFileSystem(Configuration conf) throws InvalidConfigException {
    if (!RepaveFileSystem.class.getName().equals(conf.getTrimmed(FILE_SYSTEM))) {
      throw new InvalidConfigException(
          "Spark's writers cannot reach Repave: set spark.hadoop."
              + FILE_SYSTEM
              + "="
              + RepaveFileSystem.class.getName()
              + " where the session starts (repave.configure_session does so).");
    }
  }
}
