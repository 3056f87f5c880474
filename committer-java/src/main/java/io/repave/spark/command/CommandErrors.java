package io.repave.spark.command;

import io.repave.core.error.InvalidConfigException;
import java.io.IOException;

/** The errors of the command line's JVM. Each names the problem, its cause and what to do. */
final class CommandErrors {
  private CommandErrors() {}

  static InvalidConfigException noPath() {
    return new InvalidConfigException(
        "The command needs the path of a table, such as s3://bucket/folder/table.");
  }

  static InvalidConfigException unknown(String command) {
    return new InvalidConfigException(
        "There is no command "
            + command
            + ". The jar may be older than the package: use one release.");
  }

  static InvalidConfigException notAVersion(String text) {
    return new InvalidConfigException(text + " is not a version: versions are numbers.");
  }

  static InvalidConfigException unknownFollower(String text) {
    return new InvalidConfigException(
        "There is no follower '"
            + text
            + "'. Nothing was changed. The followers are delta, symlink, metastore and glue.");
  }

  static IOException storeNotReached(Throwable root, Exception cause) {
    return new IOException(
        "S3 cannot be reached, so nothing was done. Check --endpoint-url and the network. If a proxy"
            + " is on the way, name it with --conf spark.hadoop.fs.s3a.proxy.host=… and --conf"
            + " spark.hadoop.fs.s3a.proxy.port=…. The last error was: "
            + root.getMessage(),
        cause);
  }
}
