package io.repave.spark.plan;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import io.repave.hadoop.read.VersionFiles;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.spark.sql.classic.SparkSession;

/** Finds the version that a path shows, if the session's settings allow to plan from records. */
final class PlannableVersions {
  /** With Spark 4.3 a session may hide other files than those that are hidden everywhere. */
  private static final String HIDDEN_NAMES = "spark.sql.files.ignoredPathSegmentRegex";

  private final SparkSession session;

  PlannableVersions(SparkSession session) {
    this.session = session;
  }

  /** A version, and the file system that shows it. */
  record Found(RepaveFileSystem store, VersionFiles version) {}

  /** Empty if the path is not that of a snapshot table, or if Spark has to list it by itself. */
  Optional<Found> find(Path path) throws IOException {
    Configuration conf = session.sessionState().newHadoopConf();
    if (session.conf().contains(HIDDEN_NAMES)
        || conf.get(FileInputFormat.PATHFILTER_CLASS) != null
        || !new RepaveSettings(conf).isOn(Setting.PLAN_FROM_RECORDS)
        || !(path.getFileSystem(conf) instanceof RepaveFileSystem store)) {
      return Optional.empty();
    }
    return VersionsOfStatement.ofThread()
        .find(store, path)
        .map(version -> new Found(store, version));
  }
}
