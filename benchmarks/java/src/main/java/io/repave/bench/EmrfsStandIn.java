package io.repave.bench;

import io.repave.core.ledger.PartFileName;
import io.repave.core.record.Readers;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.upload.TaskAttempt;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileNameSpec;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * A stand-in for the S3-optimized committer and commit protocol of Amazon EMR, which exist only
 * there: it does what Amazon documents of them, in the order that is the fastest. It writes through
 * Repave's own upload stream, so that nothing but the commit differs.
 *
 * <p>Dynamic overwrite: uploads stay open until the job commits; then the replaced partitions are
 * deleted, and after that the uploads completed. Everything else: uploads are completed when their
 * task commits. It keeps no record, and nothing can be recovered.
 */
public final class EmrfsStandIn extends FileCommitProtocol implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String jobId;
  private final String path;
  private final boolean dynamic;
  private transient TableAccess access;
  private transient TaskAttempt task;

  /** Called by Spark: these three arguments tell it that dynamic overwrite is supported. */
  public EmrfsStandIn(String jobId, String path, boolean dynamic) {
    this.jobId = jobId;
    this.path = path;
    this.dynamic = dynamic;
  }

  @Override
  public void setupJob(JobContext job) {
    // Nothing: no folder of temporary files is needed.
  }

  @Override
  public void commitJob(JobContext job, Seq<TaskCommitMessage> tasks) {
    if (!dynamic) {
      return;
    }
    List<byte[]> ledgers = new ArrayList<>();
    for (Iterator<TaskCommitMessage> each = tasks.iterator(); each.hasNext(); ) {
      ledgers.add((byte[]) each.next().obj());
    }
    try {
      UploadSet uploads = UploadSet.of(access(job), ledgers);
      uploads.deletePartitions();
      uploads.complete();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void abortJob(JobContext job) {
    // What is left open is left to the bucket's lifecycle rule, as Amazon advises.
  }

  @Override
  public void setupTask(TaskAttemptContext context) {
    try {
      task = access(context).beginTask(Readers.LISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  @Deprecated
  public String newTaskTempFile(TaskAttemptContext context, Option<String> dir, String extension) {
    return newTaskTempFile(context, dir, new FileNameSpec("", extension));
  }

  @Override
  public String newTaskTempFile(TaskAttemptContext context, Option<String> dir, FileNameSpec spec) {
    TaskAttemptID id = context.getTaskAttemptID();
    String name =
        PartFileName.of(spec.prefix(), id.getTaskID().getId(), jobId, id.getId(), spec.suffix());
    try {
      return TableAccess.writerPath(task.file(dir.isDefined() ? dir.get() : "", name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  @Deprecated
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String folder, String extension) {
    throw new UnsupportedOperationException("The stand-in knows no partitions elsewhere.");
  }

  @Override
  public String newTaskTempFileAbsPath(
      TaskAttemptContext context, String folder, FileNameSpec spec) {
    throw new UnsupportedOperationException("The stand-in knows no partitions elsewhere.");
  }

  @Override
  public TaskCommitMessage commitTask(TaskAttemptContext context) {
    try {
      byte[] ledger = task.commit();
      if (dynamic) {
        return new TaskCommitMessage(ledger);
      }
      UploadSet.of(access, List.of(ledger)).complete();
      return new TaskCommitMessage(new byte[0]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void abortTask(TaskAttemptContext context) {
    try {
      task.abort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TableAccess access(JobContext context) throws IOException {
    if (access == null) {
      access = TableAccess.of(context.getConfiguration(), path);
    }
    return access;
  }
}
