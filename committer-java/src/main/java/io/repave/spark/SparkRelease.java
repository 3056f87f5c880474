package io.repave.spark;

import io.repave.core.error.InvalidConfigException;

/** Which releases of Spark have the classes that Repave calls. */
final class SparkRelease {
  private static final int MAJOR = 3;
  private static final int MINOR = 5;

  private SparkRelease() {}

  /** Throws when this Spark is older than the first supported one: a commit would fail half-way. */
  static void requireSupported() throws InvalidConfigException {
    requireSupported(org.apache.spark.package$.MODULE$.SPARK_VERSION());
  }

  static void requireSupported(String version) throws InvalidConfigException {
    String[] parts = version.split("\\.", 3);
    if (parts.length < 2) {
      return;
    }
    try {
      int major = Integer.parseInt(parts[0]);
      if (major < MAJOR || major == MAJOR && Integer.parseInt(parts[1]) < MINOR) {
        throw tooOld(version);
      }
    } catch (NumberFormatException e) {
      // A vendor's name for its build: nothing is known of it.
      return;
    }
  }

  private static InvalidConfigException tooOld(String version) {
    return new InvalidConfigException(
        "This is Spark "
            + version
            + ", and Repave needs Spark "
            + MAJOR
            + "."
            + MINOR
            + " or later. Nothing was written. Use a newer Spark, or switch Repave off for this"
            + " session by repave.enabled=false.");
  }
}
