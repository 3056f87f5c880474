package io.repave.spark.plan;

import io.repave.core.engine.BoundedMap;
import java.lang.ref.SoftReference;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/**
 * What Spark inferred from the versions that it read last. A version never changes, and the key has
 * the settings, so an entry is right for as long as it is kept. The JVM takes its memory back when
 * it needs it.
 */
final class PlannedVersions {
  static final PlannedVersions JVM = new PlannedVersions(16);

  /**
   * A version, and what decides about the inference.
   *
   * @param asked the path that was read; the paths of the files begin with it
   * @param given the user's schema
   * @param conf the settings of the session and of the view that is read, as Spark returns them
   */
  record Key(Path asked, Path version, Class<?> format, Option<StructType> given, Object conf) {}

  /** The files of a version with their partitions, and the schema of their rows. */
  record Planned(IndexedFiles files, StructType schema) {}

  private final Map<Key, SoftReference<Planned>> kept;

  PlannedVersions(int most) {
    kept = BoundedMap.ofLastUsed(most);
  }

  synchronized Optional<Planned> find(Key key) {
    return Optional.ofNullable(kept.get(key)).map(SoftReference::get);
  }

  synchronized void keep(Key key, Planned planned) {
    kept.put(key, new SoftReference<>(planned));
  }
}
