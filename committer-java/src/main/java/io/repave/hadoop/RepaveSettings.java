package io.repave.hadoop;

import io.repave.core.engine.DeliveryGuards;
import io.repave.core.engine.RetryPolicy;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.ColumnBounds;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.hadoop.footer.FileOrder;
import io.repave.hadoop.footer.StatsColumns;
import io.repave.hadoop.footer.WantedFacts;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.upload.PartLimits;
import io.repave.hadoop.upload.SpillFolders;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * The settings of one job or read, from Hadoop's configuration. Spark copies {@code
 * spark.hadoop.repave.…}, the session's {@code repave.…} and the options of a write into it. A
 * plain {@code spark.repave.…} keeps its whole name there, and is used if nothing else is set.
 */
public final class RepaveSettings {
  private static final String SPARK = "spark.";
  private static final String SPARK_HADOOP = "spark.hadoop.";
  private static final String HADOOP_MARKER = "mapreduce.fileoutputcommitter.marksuccessfuljobs";

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");

  private static final String INDEX_TEXT_BYTES = "parquet.columnindex.truncate.length";

  private final Configuration conf;

  public RepaveSettings(Configuration conf) {
    this.conf = conf;
  }

  /** The configured value, or the default. */
  public String text(Setting setting) {
    return conf.getTrimmed(
        setting.key(), conf.getTrimmed(SPARK + setting.key(), setting.fallback()));
  }

  public List<String> list(Setting setting) {
    return value(setting).list();
  }

  /**
   * The locations that a setting lists. Any scheme matches: the same bucket is s3:// to one tool
   * and s3a:// to another.
   */
  List<Location> locations(Setting setting, Function<String, InvalidConfigException> noLocation)
      throws InvalidConfigException {
    List<Location> places = new ArrayList<>();
    for (String each : list(setting)) {
      try {
        places.add(StorePath.location(new Path(each)));
      } catch (IllegalArgumentException e) {
        throw noLocation.apply(each);
      }
    }
    return places;
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

  /** The kind of readers that this job asks for; empty for the table's own. */
  public Optional<Readers> readers() throws InvalidConfigException {
    return isSet(Setting.READERS)
        ? Optional.of(Readers.valueOf(choice(Setting.READERS).toUpperCase(Locale.ROOT)))
        : Optional.empty();
  }

  /** The followers of a table that this job creates. */
  public List<FollowerKind> followers() throws InvalidConfigException {
    List<FollowerKind> followers = new ArrayList<>();
    for (String each : list(Setting.FOLLOWERS)) {
      followers.add(
          FollowerKind.of(each.toLowerCase(Locale.ROOT))
              .filter(kind -> !kind.isCatalog())
              .orElseThrow(() -> SettingErrors.unknownFollower(each)));
    }
    return followers.stream().distinct().toList();
  }

  /** Whether Repave commits writes to paths with this scheme. */
  public boolean manages(String scheme) throws InvalidConfigException {
    // Refused before the decision: with a wrong list, Spark's own protocol would commit everything.
    List<String> managed = schemes();
    return scheme != null && managed.contains(scheme.toLowerCase(Locale.ROOT));
  }

  private List<String> schemes() throws InvalidConfigException {
    List<String> schemes = new ArrayList<>();
    for (String each : list(Setting.SCHEMES)) {
      if (!SCHEME.matcher(each).matches()) {
        throw SettingErrors.noScheme(each);
      }
      schemes.add(each.toLowerCase(Locale.ROOT));
    }
    if (schemes.isEmpty()) {
      throw SettingErrors.noSchemes(text(Setting.SCHEMES));
    }
    return schemes;
  }

  /** Whether a commit writes {@code _SUCCESS}. Hadoop's own setting is the default. */
  public boolean marksSuccess() throws InvalidConfigException {
    return isSet(Setting.SUCCESS_MARKER)
        ? isOn(Setting.SUCCESS_MARKER)
        : conf.getBoolean(HADOOP_MARKER, true);
  }

  /** Only the budget limits the tries; their number has no setting. */
  public RetryPolicy retryPolicy() throws InvalidConfigException {
    RetryPolicy usual = RetryPolicy.DEFAULT;
    return new RetryPolicy(
        Integer.MAX_VALUE,
        usual.firstMillis(),
        usual.mostMillis(),
        millis(Setting.RETRY_BUDGET),
        isOn(Setting.SINGLE_WRITER) ? millis(Setting.DRAIN) : 0);
  }

  /** By default at most a quarter of the heap, because Spark needs the rest. */
  public long uploadMemory() throws InvalidConfigException {
    long bytes = bytes(Setting.UPLOAD_MEMORY);
    if (isSet(Setting.UPLOAD_MEMORY)) {
      return bytes;
    }
    long share = Math.max(2 * bytes(Setting.PART_SIZE), Runtime.getRuntime().maxMemory() / 4);
    return Math.min(bytes, share);
  }

  /** For files of tables in this bucket. */
  public PartLimits parts(String bucket) throws InvalidConfigException {
    SpillFolders spill = HadoopSpillFolders.of(conf, bucket, text(Setting.UPLOAD_SPILL));
    return new PartLimits(partBytes(), PartLimits.S3_PARTS_MAX, spill);
  }

  private int partBytes() throws InvalidConfigException {
    long bytes = bytes(Setting.PART_SIZE);
    if (uploadMemory() < 2 * bytes) {
      throw SettingErrors.memoryBelowTwoParts(text(Setting.UPLOAD_MEMORY), text(Setting.PART_SIZE));
    }
    return (int) bytes;
  }

  /** What this job must not do. */
  public DeliveryGuards guards() throws InvalidConfigException {
    List<String> only = new ArrayList<>();
    for (String name : list(Setting.ONLY)) {
      only.add(
          PartitionName.of(name)
              .orElseThrow(() -> SettingErrors.onlyNamesNoPartition(text(Setting.ONLY), name)));
    }
    if (only.isEmpty() && !text(Setting.ONLY).isEmpty()) {
      throw SettingErrors.onlyNamesNoPartition(text(Setting.ONLY), text(Setting.ONLY));
    }
    return new DeliveryGuards(only, value(Setting.SHRINK).fraction());
  }

  /** The columns whose bounds are recorded. */
  public StatsColumns statsColumns() throws InvalidConfigException {
    List<String> names = list(Setting.STATS_COLUMNS).stream().distinct().toList();
    if (names.size() > ColumnBounds.COLUMNS_MAX) {
      throw SettingErrors.tooManyStatsColumns(names.size(), ColumnBounds.COLUMNS_MAX);
    }
    for (String name : names) {
      if (name.contains(".")) {
        throw SettingErrors.nestedStatsColumn(name);
      }
    }
    return new StatsColumns(names);
  }

  /** The order that the rows of each file must have. */
  public FileOrder order() throws InvalidConfigException {
    String text = text(Setting.ORDER);
    return FileOrder.of(text).orElseThrow(() -> SettingErrors.noOrder(text));
  }

  /** What this job reads from the ends of its files. */
  public WantedFacts wantedFacts() throws InvalidConfigException {
    FileOrder order = order();
    int truncateBytes = conf.getInt(INDEX_TEXT_BYTES, 0);
    return truncateBytes > 0
        ? WantedFacts.of(statsColumns(), order, truncateBytes)
        : WantedFacts.of(statsColumns(), order);
  }

  private boolean isSet(Setting setting) {
    return !conf.getTrimmed(setting.key(), conf.getTrimmed(SPARK + setting.key(), "")).isEmpty();
  }

  /** The size of the largest ledger that a task sends to the driver in its message. */
  public long messageBytes() throws InvalidConfigException {
    return bytes(Setting.MESSAGE_SIZE);
  }

  /**
   * Refuses unknown names and wrong values among the options of a write. Whether they fit together
   * with its other settings is checked when it begins.
   */
  public static void checkOptions(Map<String, String> options) throws InvalidConfigException {
    Configuration conf = new Configuration(false);
    for (Map.Entry<String, String> option : options.entrySet()) {
      if (!option.getKey().startsWith("repave.")) {
        throw SettingErrors.noOption(option.getKey());
      }
      conf.set(option.getKey(), option.getValue());
    }
    RepaveSettings settings = new RepaveSettings(conf);
    settings.checkEach();
    settings.requireNoEmptyName(Setting.RUN);
    settings.requireNoEmptyName(Setting.TOKEN);
  }

  /**
   * Refuses settings under {@code spark.hadoop.} that were given when Spark was running. Spark
   * copies this prefix only when it starts, so a guard or a run would have no effect. {@code
   * started} answers with the values of that time, or {@code null}.
   */
  public static void requireNoneLate(Configuration conf, UnaryOperator<String> started)
      throws InvalidConfigException {
    for (Map.Entry<String, String> each : conf) {
      String key = each.getKey();
      String name = key.toLowerCase(Locale.ROOT);
      if (name.startsWith(SPARK_HADOOP + "repave.")) {
        name = name.substring(SPARK_HADOOP.length());
        boolean hasEffect = each.getValue().equals(conf.get(name));
        if (!hasEffect && !each.getValue().equals(started.apply(key))) {
          throw SettingErrors.givenTooLate(key, each.getValue(), name);
        }
      }
    }
  }

  /** Refuses unknown keys and wrong values. A misspelt key must not be ignored. */
  public void check() throws InvalidConfigException {
    checkEach();
    schemes();
    partBytes();
    followers();
    statsColumns();
    order();
    new ManagedPaths(conf).excluded();
    guards();
  }

  /**
   * Refuses an empty run or token. It is usually a variable without a value, and must not switch
   * tokens off. Only writes have tokens, so {@link #check} does not look at them.
   */
  public void requireNoEmptyName(Setting setting) throws InvalidConfigException {
    boolean isGiven = conf.get(setting.key(), conf.get(SPARK + setting.key())) != null;
    if (isGiven && text(setting).isEmpty()) {
      throw SettingErrors.emptyName(setting);
    }
  }

  private void checkEach() throws InvalidConfigException {
    Set<String> known = new TreeSet<>();
    for (Setting setting : Setting.values()) {
      known.add(setting.key());
      checkValue(setting);
    }
    // Spark ignores the case of an option's name, and Hadoop's configuration does not.
    for (Map.Entry<String, String> each : conf) {
      String key = each.getKey();
      String name = withoutSpark(key.toLowerCase(Locale.ROOT));
      if (name.startsWith("repave.") && !known.contains(withoutSpark(key))) {
        throw SettingErrors.unknown(key, new NearestName(known).to(name), known);
      }
    }
  }

  private static String withoutSpark(String key) {
    return key.startsWith(SPARK) ? key.substring(SPARK.length()) : key;
  }

  private void checkValue(Setting setting) throws InvalidConfigException {
    SettingValue value = value(setting);
    switch (setting.kind()) {
      case SIZE -> value.bytes();
      case DURATION -> value.millis();
      case COUNT -> value.count();
      case FLAG -> value.isOn();
      case CHOICE -> value.choice();
      case FRACTION -> value.fraction();
      case TEXT, LIST -> {}
    }
  }

  private SettingValue value(Setting setting) {
    return new SettingValue(setting, text(setting));
  }
}
