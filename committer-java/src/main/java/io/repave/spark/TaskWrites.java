package io.repave.spark;

import io.repave.core.ledger.PartFileName;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.upload.TaskAttempt;
import io.repave.spark.bridge.SneakyThrow;
import io.repave.spark.catalog.ExternalPartition;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import scala.Option;

/** The files of one task attempt. It sends no request before the first file. */
final class TaskWrites {
  private static final byte[] NOTHING = {};

  private final BegunWrite write;
  private final Configuration conf;
  private final TaskAttemptID id;
  private TableAccess access;
  private TaskAttempt attempt;
  private Optional<Location> stored = Optional.empty();

  TaskWrites(BegunWrite write, TaskAttemptContext context) {
    this.write = write;
    conf = context.getConfiguration();
    id = context.getTaskAttemptID();
  }

  /** Announces a file in a partition's folder. Returns the path to which Spark writes it. */
  String file(Option<String> dir, String prefix, String suffix) {
    try {
      begin();
      String inside = dir.isDefined() ? dir.get() : "";
      String within = access.folder();
      String partition =
          within.isEmpty() || inside.isEmpty() ? within + inside : within + "/" + inside;
      String name = freeName(access.root().resolve(partition), prefix, suffix);
      return TableAccess.writerPath(attempt.file(partition, name));
    } catch (IOException e) {
      throw SneakyThrow.as(e);
    }
  }

  /** Announces a file of a partition in a folder outside the table's folder. */
  String externalFile(String folder, String prefix, String suffix) {
    try {
      begin();
      ExternalPartition external = new ExternalPartition(access, conf);
      Path named = new Path(folder);
      external.requireReadable(write.target().path(), named, write.readers());
      Location at = external.location(named);
      return TableAccess.writerPath(attempt.file(at, freeName(at, prefix, suffix)));
    } catch (IOException e) {
      throw SneakyThrow.as(e);
    }
  }

  /** The message of this attempt for the commit of the job. */
  byte[] commit() {
    try {
      if (attempt == null) {
        return NOTHING;
      }
      byte[] ledger = attempt.commit();
      String name =
          String.format(
              Locale.ROOT, TablePaths.TASK + "%05d-%d", id.getTaskID().getId(), id.getId());
      Location folder = new Location(access.root().bucket(), write.records());
      TaskMessage message = TaskMessage.of(access, folder).atMost(shareOfResults());
      stored = message.place(ledger, name);
      return message.encode(ledger, name);
    } catch (IOException e) {
      throw SneakyThrow.as(e);
    }
  }

  /** The bytes that this task may send to the driver. */
  private static long shareOfResults() {
    TaskContext task = TaskContext.get();
    if (task == null || SparkEnv.get() == null) {
      return Long.MAX_VALUE;
    }
    return TaskMessage.share(SparkEnv.get().conf(), task.numPartitions());
  }

  /**
   * Deletes the stored message too, also if its request failed: it may have arrived. The job may
   * have been aborted before, and in the folder of a new table the object would stay.
   */
  void abort() {
    try {
      if (attempt != null) {
        attempt.abort();
      }
      if (stored.isPresent()) {
        access.ledgerObjects().delete(List.of(stored.get()));
      }
    } catch (IOException e) {
      throw SneakyThrow.as(e);
    }
  }

  private void begin() throws IOException {
    if (attempt == null) {
      access = write.target().access(conf);
      attempt = access.beginTask(write.readersOfFolder());
    }
  }

  /**
   * Spark numbers the files of each partition value, not those of each folder. Two values may have
   * one folder: the hour that comes twice when clocks go back, or null and an empty binary value.
   * Then Spark asks for the same name again, and the next file gets a number.
   */
  private String freeName(Location folder, String prefix, String suffix) {
    String name = name(prefix, suffix);
    for (int number = 2; attempt.isAnnounced(folder, name); number++) {
      name = name(prefix, "." + number + suffix);
    }
    return name;
  }

  /** The attempt's number is unique in the application, so no two attempts share a name. */
  private String name(String prefix, String suffix) {
    int split = id.getTaskID().getId();
    String name = PartFileName.of(prefix, split, write.target().commit(), id.getId(), suffix);
    return PartFileName.in(write.folder(), name);
  }
}
