package io.repave.spark;

import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import io.repave.spark.bridge.SneakyThrow;
import io.repave.spark.write.WriteTarget;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.spark.internal.io.FileCommitProtocol;
import scala.collection.Seq;

/** The commit protocol for paths that Repave does not manage: Spark's own, or the site's. */
final class FallbackProtocol implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileCommitProtocol protocol;

  private FallbackProtocol(FileCommitProtocol protocol) {
    this.protocol = protocol;
  }

  /** An instance of the configured class, created like Spark creates it. */
  static FallbackProtocol of(Configuration conf, String jobId, WriteTarget target) {
    String name = new RepaveSettings(conf).text(Setting.FALLBACK_PROTOCOL);
    if (name.equals(RepaveCommitProtocol.class.getName())) {
      throw SneakyThrow.as(ProtocolErrors.fallbackProtocol(name, "which is Repave itself", null));
    }
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      Class<? extends FileCommitProtocol> found =
          Class.forName(name, true, loader).asSubclass(FileCommitProtocol.class);
      return new FallbackProtocol(instance(found, jobId, target));
    } catch (ClassNotFoundException e) {
      throw SneakyThrow.as(
          ProtocolErrors.fallbackProtocol(name, "a class that is not on the class path", e));
    } catch (ClassCastException e) {
      throw SneakyThrow.as(
          ProtocolErrors.fallbackProtocol(name, "a class that is not a FileCommitProtocol", e));
    } catch (InvocationTargetException e) {
      throw SneakyThrow.as(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw SneakyThrow.as(
          ProtocolErrors.fallbackProtocol(
              name, "whose constructors do not fit this write: " + e.getMessage(), e));
    }
  }

  /** Only a class with a third argument supports dynamic overwrite. Spark checks it like this. */
  private static FileCommitProtocol instance(
      Class<? extends FileCommitProtocol> found, String jobId, WriteTarget target)
      throws ReflectiveOperationException {
    try {
      return found
          .getDeclaredConstructor(String.class, String.class, boolean.class)
          .newInstance(jobId, target.path(), target.dynamic());
    } catch (NoSuchMethodException e) {
      if (target.dynamic()) {
        throw new NoSuchMethodException("it does not support dynamic partition overwrite");
      }
      return found
          .getDeclaredConstructor(String.class, String.class)
          .newInstance(jobId, target.path());
    }
  }

  FileCommitProtocol protocol() {
    return protocol;
  }

  /** Forwards Spark's call on Scala 2.12, whose signature does not exist at compile time. */
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
      throw SneakyThrow.as(e);
    }
  }
}
