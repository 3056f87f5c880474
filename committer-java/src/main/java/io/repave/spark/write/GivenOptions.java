package io.repave.spark.write;

import io.repave.WriteOptions;
import io.repave.core.error.InvalidConfigException;
import io.repave.hadoop.OptionBlock;
import io.repave.hadoop.RepaveSettings;
import io.repave.hadoop.Setting;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * The options of a write that Spark does not pass to a commit protocol: those of the block around
 * it, and those of {@code saveAsTable} on a table that exists. The job's configuration takes them,
 * and Spark sends it to the tasks.
 */
public record GivenOptions(Optional<OptionBlock> block, Map<String, String> values) {
  public static GivenOptions of(WritePlan write) throws InvalidConfigException {
    Option<SparkSession> session = SparkSession.getActiveSession();
    String id =
        session.isEmpty()
            ? null
            : session.get().sparkContext().getLocalProperty(WriteOptions.PROPERTY);
    Optional<OptionBlock> block = id == null ? Optional.empty() : OptionBlock.find(id);
    Map<String, String> values = new TreeMap<>(write.optionsNotPassed());
    if (block.isPresent()) {
      for (Map.Entry<String, String> each : block.get().values().entrySet()) {
        String key = each.getKey();
        Optional<String> own =
            values.containsKey(key) ? Optional.of(values.get(key)) : write.option(key);
        if (own.isPresent() && !own.get().trim().equals(each.getValue())) {
          throw WriteErrors.optionGivenTwice(key, own.get(), each.getValue());
        }
        values.put(key, each.getValue());
      }
    }
    return new GivenOptions(block, values);
  }

  public void putInto(Configuration conf) {
    values.forEach(conf::set);
  }

  /**
   * Whether the program gives this setting to the write, and not only the catalog or the session.
   */
  public boolean give(WritePlan write, Setting setting) {
    return values.containsKey(setting.key()) || write.option(setting.key()).isPresent();
  }

  /** The block whose token this write has. */
  public Optional<OptionBlock> tokenGiver() {
    return block.flatMap(it -> it.giverOf(Setting.TOKEN));
  }

  /** Refuses a write that Repave does not commit, unless it is switched off. */
  public void requireNone(String path, Configuration conf) throws InvalidConfigException {
    if (block.isPresent() && new RepaveSettings(conf).isOn(Setting.ENABLED)) {
      throw WriteErrors.optionsOfOtherPath(path, block.get().values().keySet());
    }
  }
}
