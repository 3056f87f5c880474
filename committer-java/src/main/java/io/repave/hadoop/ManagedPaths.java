package io.repave.hadoop;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.read.StorePath;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Which paths Repave commits: those with its schemes, unless they are excluded or turned off. */
public final class ManagedPaths {
  /** Folders from which Hive moves files itself. */
  private static final List<String> HIVE = List.of("/.hive-staging", "/-ext-10000");

  /** Folders from which a committer of Hadoop or Spark moves files itself. */
  private static final Pattern COMMITTER =
      Pattern.compile("/(_temporary|\\.spark-staging-[^/]*)(/|$)");

  private final RepaveSettings settings;

  public ManagedPaths(Configuration conf) {
    settings = new RepaveSettings(conf);
  }

  /** Whether Repave commits writes to a path. */
  public boolean manages(Path path) throws InvalidConfigException {
    return settings.isOn(Setting.ENABLED)
        && settings.manages(path.toUri().getScheme())
        && !isExcluded(path);
  }

  /**
   * Whether a path is inside a staging folder of Hive. A commit there would only add records to a
   * temporary folder.
   */
  public static boolean isHiveStaging(String path) {
    return HIVE.stream().anyMatch(path::contains);
  }

  /** The same for the folders of all writers that save through Hadoop's output formats. */
  public static boolean isStaging(String path) {
    return isHiveStaging(path) || COMMITTER.matcher(path).find();
  }

  private boolean isExcluded(Path path) throws InvalidConfigException {
    List<Location> excluded = excluded();
    if (excluded.isEmpty()) {
      return false;
    }
    Location at = TableAccess.location(path);
    return excluded.stream().anyMatch(one -> one.equals(at) || one.holds(at));
  }

  /** The excluded locations. Refuses a value that is not a location. */
  List<Location> excluded() throws InvalidConfigException {
    for (String each : settings.list(Setting.EXCLUDE)) {
      if (StorePath.firstSpecial(each) >= 0) {
        throw SettingErrors.excludeHasPattern(each);
      }
    }
    return settings.locations(Setting.EXCLUDE, SettingErrors::excludeNamesNoFolder);
  }
}
