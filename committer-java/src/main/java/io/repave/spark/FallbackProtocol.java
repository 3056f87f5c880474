package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.spark.internal.io.FileCommitProtocol;
import scala.collection.Seq;

/** The protocol for the paths that Repave does not manage: Spark's own, or the site's. */
final class FallbackProtocol implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileCommitProtocol protocol;

  private FallbackProtocol(FileCommitProtocol protocol) {
    this.protocol = protocol;
  }

  /** An instance of the class that the conf names, made as Spark makes one. */
  static FallbackProtocol of(Configuration conf, WriteArguments write) {
    String name = new RepaveSettings(conf).text(Setting.FALLBACK_PROTOCOL);
    if (name.equals(RepaveCommitProtocol.class.getName())) {
      throw refused(name, "which is Repave itself", null);
    }
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      Class<? extends FileCommitProtocol> found =
          Class.forName(name, true, loader).asSubclass(FileCommitProtocol.class);
      return new FallbackProtocol(instance(found, write));
    } catch (ClassNotFoundException e) {
      throw refused(name, "a class that is not on the class path", e);
    } catch (ClassCastException e) {
      throw refused(name, "a class that is no FileCommitProtocol", e);
    } catch (InvocationTargetException e) {
      throw Rethrown.as(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw refused(name, "whose constructors do not fit this write: " + e.getMessage(), e);
    }
  }

  /** Only a class with the third argument supports dynamic overwrite; that is how Spark tells. */
  private static FileCommitProtocol instance(
      Class<? extends FileCommitProtocol> found, WriteArguments write)
      throws ReflectiveOperationException {
    try {
      return found
          .getDeclaredConstructor(String.class, String.class, boolean.class)
          .newInstance(write.jobId(), write.path(), write.dynamic());
    } catch (NoSuchMethodException e) {
      if (write.dynamic()) {
        throw new NoSuchMethodException("it does not support dynamic partition overwrite");
      }
      return found
          .getDeclaredConstructor(String.class, String.class)
          .newInstance(write.jobId(), write.path());
    }
  }

  FileCommitProtocol protocol() {
    return protocol;
  }

  /** Hands on the call that Spark makes on Scala 2.12, which our compiler's Spark does not have. */
  void commitJob(JobContext job, Seq<FileCommitProtocol.TaskCommitMessage> tasks) {
    try {
      MethodHandle commitJob =
          MethodHandles.publicLookup()
              .findVirtual(
                  FileCommitProtocol.class,
                  "commitJob",
                  MethodType.methodType(void.class, JobContext.class, Seq.class));
      commitJob.invoke(protocol, job, tasks);
    } catch (Throwable e) {
      throw Rethrown.as(e);
    }
  }

  private static RuntimeException refused(String name, String why, Throwable cause) {
    InvalidConfigException refusal =
        new InvalidConfigException(
            Setting.FALLBACK_PROTOCOL.key()
                + " names "
                + name
                + ", "
                + why
                + ". Nothing was written. Name the commit protocol for the paths that Repave does"
                + " not manage, or remove the setting for Spark's own.");
    refusal.initCause(cause);
    return Rethrown.as(refusal);
  }
}
