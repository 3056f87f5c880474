package io.repave.spark.plan;

import static scala.jdk.javaapi.CollectionConverters.asJava;
import static scala.jdk.javaapi.CollectionConverters.asScala;

import io.repave.core.ledger.PartFileName;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.StorePath;
import io.repave.hadoop.read.VersionFiles;
import io.repave.spark.bridge.Rewrite;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedDataSource;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.FileIndexOptions;

/**
 * Lets a read of several paths, such as two partitions of a snapshot table, see one version of the
 * table. Each path is replaced by the same folder of that version. Spark looks at each path by
 * itself, so a commit in between would put two versions into one frame.
 */
final class PathsOfOneVersion extends Rule<LogicalPlan> {
  private static final String BASE_PATH = FileIndexOptions.BASE_PATH_PARAM();

  private final SparkSession session;

  PathsOfOneVersion(SparkSession session) {
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    return plan.resolveOperators(new Rewrite<>(PathsOfOneVersion::isFor, this::ofOneVersion));
  }

  private static boolean isFor(LogicalPlan node) {
    return node instanceof UnresolvedDataSource source
        && !source.isStreaming()
        && source.paths().size() > 1;
  }

  private LogicalPlan ofOneVersion(LogicalPlan node) {
    UnresolvedDataSource source = (UnresolvedDataSource) node;
    List<String> asked = asJava(source.paths());
    List<String> paths = asked.stream().map(this::ofOneVersion).toList();
    if (paths.equals(asked)) {
      return source;
    }
    CaseInsensitiveMap<String> options = source.options();
    if (options.contains(BASE_PATH)) {
      String base = options.get(BASE_PATH).get();
      // Spark refuses a path that is not below the base path.
      if (asked.stream().filter(paths::contains).anyMatch(path -> isBelow(base, path))) {
        return source;
      }
      options = options.updated(BASE_PATH, ofOneVersion(base));
    }
    return new UnresolvedDataSource(
        source.format(),
        source.userSpecifiedSchema(),
        options,
        source.isStreaming(),
        asScala(paths).toSeq());
  }

  /** True for no pattern, because a pattern shows folders of a version. */
  private static boolean isBelow(String base, String path) {
    return path.startsWith(base) && !SparkHadoopUtil.get().isGlobPath(new Path(path));
  }

  /** The path in one version, if it is a snapshot table or one of its partitions, or a pattern. */
  private String ofOneVersion(String text) {
    // The paths of other sources may be of any form.
    if (!text.startsWith(RepaveFileSystem.PREFIX)) {
      return text;
    }
    Path path = new Path(text);
    StorePath asked = StorePath.of(path);
    Location table = TablePaths.of(asked.at()).root();
    Path root = StorePath.path(RepaveFileSystem.SCHEME, table);
    boolean isFile = PartFileName.commitOf(path.getName()).isPresent();
    if (isFile || asked.isPinned() || SparkHadoopUtil.get().isGlobPath(root)) {
      return text;
    }
    String name = table.equals(asked.at()) ? "" : table.relative(asked.at());
    try {
      Optional<PlannableVersions.Found> found = new PlannableVersions(session).find(root);
      if (found.isEmpty()) {
        return text;
      }
      VersionFiles version = found.get().version();
      if (!SparkHadoopUtil.get().isGlobPath(path)) {
        // Spark finds them in memory then, and does not look at the head for each path.
        version.byFolder(List.of(name));
      }
      return version.folder(name).toString();
    } catch (IOException e) {
      // Spark lists the path, and says what is wrong.
      return text;
    }
  }
}
