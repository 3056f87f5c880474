package io.repave.spark.secrets;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.hadoop.TableAccess;
import io.repave.spark.RepaveCommitProtocol;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A separate process with its own log and environment. For each table it commits like Spark's
 * driver and executors, first directly and then through the proxy, and prints each exception with
 * all causes.
 */
final class TableProgram {
  private final Configuration conf;
  private final Configuration past;
  private final String bucket;
  private int failures;

  private TableProgram(Configuration conf) {
    this.conf = conf;
    // The same bucket by another scheme: Hadoop caches a file system for each scheme.
    past = new Configuration(conf);
    past.set("fs.s3a.endpoint", conf.get("test.past.the.proxy"));
    past.set("repave.store.scheme", "s3");
    bucket = "//" + conf.get("test.bucket") + "/";
  }

  /** The user's configuration, as a file. */
  public static void main(String[] arguments) {
    Configuration conf = new Configuration();
    conf.addResource(new Path(arguments[0]));
    TableProgram program = new TableProgram(conf);
    for (String name : conf.getTrimmedStrings("test.tables")) {
      program.use(name);
    }
    // Threads of Hadoop's statistics would keep the process alive.
    System.exit(0);
  }

  private interface Action {
    void run() throws Exception;
  }

  private void use(String name) {
    conf.set("repave.readers", name.startsWith("snapshot") ? "snapshot" : "listing");
    past.set("repave.readers", conf.get("repave.readers"));
    tried(() -> overwrite(past, "s3:" + bucket + name));
    tried(() -> overwrite(conf, "s3a:" + bucket + name));
    tried(() -> look(name));
    System.out.println(name + " met " + failures + " exceptions");
    failures = 0;
  }

  private void tried(Action action) {
    try {
      action.run();
    } catch (Exception e) {
      failures++;
      e.printStackTrace(System.out);
    }
  }

  private void look(String name) throws IOException, InterruptedException {
    Table table = TableAccess.of(conf, "s3a:" + bucket + name).table(Progress.SILENT);
    tried(() -> System.out.println(table.recover()));
    tried(() -> System.out.println(table.history(Integer.MAX_VALUE)));
    tried(() -> System.out.println(table.head()));
    tried(() -> System.out.println(table.vacuum(0)));
  }

  /** A write with two tasks, and an attempt whose message does not arrive. */
  private static void overwrite(Configuration conf, String path) throws Exception {
    RepaveCommitProtocol driver =
        new RepaveCommitProtocol(UUID.randomUUID().toString(), path, true);
    JobContext job = new JobContextImpl(conf, new JobID("20261121", 1));
    try {
      driver.setupJob(job);
      List<TaskCommitMessage> messages = new ArrayList<>();
      for (int task = 0; task < 2; task++) {
        TaskAttemptContext context =
            new TaskAttemptContextImpl(
                conf, new TaskAttemptID("20261121", 1, TaskType.MAP, task, 0));
        driver.setupTask(context);
        write(driver, context);
        messages.add(driver.commitTask(context));
        driver.onTaskCommit(messages.get(task));
      }
      TaskAttemptContext lost =
          new TaskAttemptContextImpl(conf, new TaskAttemptID("20261121", 1, TaskType.MAP, 0, 1));
      driver.setupTask(lost);
      write(driver, lost);
      driver.commitTask(lost);
      driver.abortTask(lost);
      driver.commitJob(job, CollectionConverters.asScala(messages).toSeq());
    } catch (Exception e) {
      driver.abortJob(job);
      throw e;
    }
  }

  private static void write(RepaveCommitProtocol task, TaskAttemptContext context)
      throws IOException {
    @SuppressWarnings("deprecation")
    String file = task.newTaskTempFile(context, Option.apply("dt=1"), ".txt");
    Path path = new Path(file);
    FileSystem files = path.getFileSystem(context.getConfiguration());
    try (OutputStream out = files.create(path, false)) {
      out.write(7);
    }
  }
}
