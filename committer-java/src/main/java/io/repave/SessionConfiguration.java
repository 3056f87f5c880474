package io.repave;

import io.repave.hadoop.Setting;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** The configuration of a session. A class of its own, so that the API loads without Spark. */
final class SessionConfiguration {
  private SessionConfiguration() {}

  /** Hadoop's configuration, and Repave's settings including those made at runtime. */
  static Configuration of(SparkSession session) {
    Configuration conf = new Configuration(session.sparkContext().hadoopConfiguration());
    for (Setting setting : Setting.values()) {
      for (String key : List.of("spark." + setting.key(), setting.key())) {
        Option<String> value = session.conf().getOption(key);
        if (value.isDefined()) {
          conf.set(key, value.get());
        }
      }
    }
    return conf;
  }
}
