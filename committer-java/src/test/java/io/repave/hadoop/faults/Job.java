package io.repave.hadoop.faults;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Progress;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.upload.TaskAttempt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;

/** A job like Spark's: tasks that are retried, a commit, and an abort after a failure. */
final class Job {
  private static final int TASK_ATTEMPTS = 3;

  /** The description of the job. */
  enum Told {
    COMMITTED,
    FAILED,
    UNKNOWN
  }

  /** A task and the file that it writes. */
  record Task(int split, String partition, int bytes) {}

  final String commit = UUID.randomUUID().toString();
  private final Configuration conf;
  private final String path;
  private final CommitKind kind;
  private final List<Task> tasks;

  /** Splits of tasks whose first attempt is lost after its work, because an executor died. */
  private final int lostSplit;

  private String failure = "";

  Job(Configuration conf, String path, CommitKind kind, List<Task> tasks, int lostSplit) {
    this.conf = conf;
    this.path = path;
    this.kind = kind;
    this.tasks = tasks;
    this.lostSplit = lostSplit;
  }

  /** The failure. */
  String failure() {
    return failure;
  }

  /** The content of its files after the commit. */
  List<String> rows() {
    return tasks.stream().map(task -> Rows.of(task.partition, content(task))).toList();
  }

  Told run(boolean probes) throws InterruptedException {
    WriteTransaction job;
    try {
      TableAccess driver = TableAccess.of(conf, path);
      List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
      job =
          (probes ? driver.tableToBegin(Progress.SILENT) : driver.table(Progress.SILENT))
              .begin(new CommitRequest(commit, kind, scope, "", "_SUCCESS"));
    } catch (IOException e) {
      failure = e.toString();
      return Told.FAILED;
    }
    List<byte[]> messages = new ArrayList<>();
    try {
      for (Task task : tasks) {
        messages.add(written(task));
      }
      job.commit(new TaskLedgers(messages));
    } catch (CommitStateUnknownException e) {
      return ended(Told.UNKNOWN, e, job, messages);
    } catch (IOException e) {
      return ended(Told.FAILED, e, job, messages);
    }
    try {
      job.abortLostUploads();
    } catch (IOException e) {
      // Left for vacuum.
    }
    return Told.COMMITTED;
  }

  private Told ended(Told told, IOException e, WriteTransaction job, List<byte[]> messages)
      throws InterruptedException {
    failure = e.toString();
    try {
      // Spark does so after any exception of the commit.
      job.abort(new TaskLedgers(messages));
    } catch (IOException left) {
      // Left for vacuum.
    }
    return told;
  }

  /** Spark retries a failed task with another attempt number. */
  private byte[] written(Task task) throws IOException {
    if (task.split == lostSplit) {
      try {
        attempt(task, 0).commit();
      } catch (IOException e) {
        // Its message would not have arrived in any case.
      }
    }
    IOException last = null;
    for (int number = 1; number <= TASK_ATTEMPTS; number++) {
      TaskAttempt attempt = TableAccess.of(conf, path).beginTask(readers());
      try {
        write(attempt, task, number);
        return attempt.commit();
      } catch (IOException e) {
        last = e;
        attempt.abort();
      }
    }
    throw last;
  }

  private TaskAttempt attempt(Task task, int number) throws IOException {
    TaskAttempt attempt = TableAccess.of(conf, path).beginTask(readers());
    write(attempt, task, number);
    return attempt;
  }

  private io.repave.core.record.Readers readers() throws IOException {
    return TableAccess.of(conf, path).settings().readers().orElse(Readers.LISTING);
  }

  private void write(TaskAttempt attempt, Task task, int number) throws IOException {
    String name = PartFileName.of("", task.split, commit, number, ".txt");
    Location at = attempt.file(task.partition, name);
    Path file = new Path(TableAccess.writerPath(at));
    try (FSDataOutputStream out = file.getFileSystem(conf).create(file, false)) {
      out.write(content(task));
    }
  }

  private byte[] content(Task task) {
    String line = commit + " " + task.split + "\n";
    byte[] content = Arrays.copyOf(line.getBytes(StandardCharsets.UTF_8), task.bytes);
    Arrays.fill(content, line.length(), content.length, (byte) ('a' + task.split));
    return content;
  }
}
