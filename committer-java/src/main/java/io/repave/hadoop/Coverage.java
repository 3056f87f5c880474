package io.repave.hadoop;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.read.StorePath;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Which paths Repave commits: by their scheme, except for what is excluded or switched off. */
public final class Coverage {
  private final RepaveSettings settings;

  public Coverage(Configuration conf) {
    settings = new RepaveSettings(conf);
  }

  /** Whether a path's scheme is Repave's. The options of a write may still take the path out. */
  public boolean mayCover(Path path) {
    return settings.manages(path.toUri().getScheme());
  }

  /** Whether Repave commits writes to a path. */
  public boolean covers(Path path) throws InvalidConfigException {
    return mayCover(path) && settings.isOn(Setting.ENABLED) && !isExcluded(path);
  }

  private boolean isExcluded(Path path) throws InvalidConfigException {
    List<Location> excluded = excluded();
    if (excluded.isEmpty()) {
      return false;
    }
    Location at = TableAccess.place(path);
    return excluded.stream().anyMatch(one -> one.equals(at) || one.holds(at));
  }

  /** The places that are excluded; refuses what names none. */
  List<Location> excluded() throws InvalidConfigException {
    List<Location> places = new ArrayList<>();
    for (String each : settings.list(Setting.EXCLUDE)) {
      try {
        Path path = new Path(each);
        // Any scheme will do: the same bucket is s3:// to one tool and s3a:// to another.
        places.add(StorePath.location(path));
      } catch (IllegalArgumentException e) {
        throw new InvalidConfigException(
            "repave.exclude names '"
                + each
                + "', which is not like s3://bucket or s3://bucket/folder. Nothing was written.");
      }
    }
    return places;
  }
}
