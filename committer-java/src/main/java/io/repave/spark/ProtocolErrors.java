package io.repave.spark;

import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.Setting;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** The errors of the commit protocol itself. Each names the problem, its cause and what to do. */
final class ProtocolErrors {
  private ProtocolErrors() {}

  static InvalidConfigException noFileSystem(String key) {
    return new InvalidConfigException(
        "Spark's writers cannot reach Repave: set spark.hadoop."
            + key
            + "="
            + RepaveFileSystem.class.getName()
            + " before the session starts (repave.configure_session does so).");
  }

  /** {@code problem} continues a sentence that names the class. */
  static InvalidConfigException fallbackProtocol(String name, String problem, Throwable cause) {
    InvalidConfigException error =
        new InvalidConfigException(
            Setting.FALLBACK_PROTOCOL.key()
                + " names "
                + name
                + ", "
                + problem
                + ". Nothing was written. Name the commit protocol for the paths that Repave does"
                + " not manage, or remove the setting to use Spark's own.");
    error.initCause(cause);
    return error;
  }

  static IOException oldFilesNotDeleted(Path folder) {
    return new IOException(
        "The old files of "
            + folder
            + " could not be deleted before the write. Check the permission to delete there, and"
            + " run the job again.");
  }
}
