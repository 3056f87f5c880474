package io.repave.hadoop;

import io.repave.core.engine.RetryPolicy;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.Readers;
import io.repave.hadoop.upload.PartLimits;
import io.repave.hadoop.upload.SpillFolders;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings of one job or read, out of Hadoop's configuration. Spark puts there what is set as
 * {@code spark.hadoop.repave.…}, in the session as {@code repave.…}, and as an option of the write;
 * a plain {@code spark.repave.…} arrives too, under its whole name, and counts where nothing else
 * is set.
 */
public final class RepaveSettings {
  private static final String SPARK = "spark.";
  private static final String HADOOP_MARKER = "mapreduce.fileoutputcommitter.marksuccessfuljobs";

  private final Configuration conf;

  public RepaveSettings(Configuration conf) {
    this.conf = conf;
  }

  /** What is set, or the default. */
  public String text(Setting setting) {
    return conf.getTrimmed(
        setting.key(), conf.getTrimmed(SPARK + setting.key(), setting.fallback()));
  }

  public List<String> list(Setting setting) {
    return value(setting).list();
  }

  public long bytes(Setting setting) throws InvalidConfigException {
    return value(setting).bytes();
  }

  public long millis(Setting setting) throws InvalidConfigException {
    return value(setting).millis();
  }

  public int count(Setting setting) throws InvalidConfigException {
    return value(setting).count();
  }

  public boolean isOn(Setting setting) throws InvalidConfigException {
    return value(setting).isOn();
  }

  public String choice(Setting setting) throws InvalidConfigException {
    return value(setting).choice();
  }

  /** How a table that this job creates will be read. */
  public Readers readers() throws InvalidConfigException {
    return Readers.valueOf(choice(Setting.READERS).toUpperCase(Locale.ROOT));
  }

  /** Whether Repave commits writes to paths with this scheme. */
  public boolean manages(String scheme) {
    return scheme != null && list(Setting.SCHEMES).contains(scheme.toLowerCase(Locale.ROOT));
  }

  /** Whether a commit leaves {@code _SUCCESS} behind; Hadoop's own switch is the default. */
  public boolean marksSuccess() throws InvalidConfigException {
    return isSet(Setting.SUCCESS_MARKER)
        ? isOn(Setting.SUCCESS_MARKER)
        : conf.getBoolean(HADOOP_MARKER, true);
  }

  /** The budget alone ends the tries; how many fit into it is not worth a setting. */
  public RetryPolicy retryPolicy() throws InvalidConfigException {
    RetryPolicy usual = RetryPolicy.DEFAULT;
    return new RetryPolicy(
        Integer.MAX_VALUE, usual.firstMillis(), usual.mostMillis(), millis(Setting.RETRY_BUDGET));
  }

  /** Unless it is set, no more of a small heap than a quarter: Spark needs the rest. */
  public long uploadMemory() throws InvalidConfigException {
    long bytes = bytes(Setting.UPLOAD_MEMORY);
    if (isSet(Setting.UPLOAD_MEMORY)) {
      return bytes;
    }
    long share = Math.max(2 * bytes(Setting.PART_SIZE), Runtime.getRuntime().maxMemory() / 4);
    return Math.min(bytes, share);
  }

  public PartLimits parts() throws InvalidConfigException {
    long bytes = bytes(Setting.PART_SIZE);
    if (uploadMemory() < 2 * bytes) {
      throw new InvalidConfigException(
          "repave.upload.memory ("
              + text(Setting.UPLOAD_MEMORY)
              + ") must be at least twice repave.part.size ("
              + text(Setting.PART_SIZE)
              + ").");
    }
    SpillFolders spill = LocalFolders.of(conf, text(Setting.UPLOAD_SPILL));
    return new PartLimits((int) bytes, PartLimits.S3_PARTS_MAX, spill);
  }

  private boolean isSet(Setting setting) {
    return !conf.getTrimmed(setting.key(), conf.getTrimmed(SPARK + setting.key(), "")).isEmpty();
  }

  /** The largest ledger that a task sends to the driver by itself. */
  public long messageBytes() throws InvalidConfigException {
    return bytes(Setting.MESSAGE_SIZE);
  }

  /** Refuses keys that nothing reads: a misspelt setting must not pass for one that is set. */
  public void check() throws InvalidConfigException {
    Set<String> known = new TreeSet<>();
    for (Setting setting : Setting.values()) {
      known.add(setting.key());
      checkValue(setting);
    }
    for (String prefix : List.of("repave.", SPARK + "repave.")) {
      for (String rest : conf.getPropsWithPrefix(prefix).keySet()) {
        if (!known.contains("repave." + rest)) {
          throw new InvalidConfigException(
              "There is no setting "
                  + prefix
                  + rest
                  + new NearestName(known)
                      .to("repave." + rest)
                      .map(near -> ". Did you mean " + near + "?")
                      .orElse(". There are: " + String.join(", ", known)));
        }
      }
    }
    parts();
    new Coverage(conf).excluded();
  }

  private void checkValue(Setting setting) throws InvalidConfigException {
    SettingValue value = value(setting);
    switch (setting.kind()) {
      case SIZE -> value.bytes();
      case DURATION -> value.millis();
      case COUNT -> value.count();
      case FLAG -> value.isOn();
      case CHOICE -> value.choice();
      case TEXT, LIST -> {}
    }
  }

  private SettingValue value(Setting setting) {
    return new SettingValue(setting, text(setting));
  }
}
