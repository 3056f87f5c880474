package io.repave.spark.plan;

import static scala.jdk.javaapi.CollectionConverters.asJava;

import io.repave.hadoop.RepaveFileSystem;
import io.repave.hadoop.read.VersionFiles;
import io.repave.spark.bridge.PlanNodes;
import io.repave.spark.write.RunningQueries;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.QueryExecution;
import scala.Option;

/**
 * The versions of the tables that one statement reads. A table that it names several times, also in
 * subqueries and views, is looked at once. With a look for each name, a commit in between would put
 * two versions into one result.
 *
 * <p>Spark analyzes and optimizes a statement with one tracker, in one thread at a time, and keeps
 * it as long as the frame. So a frame that is gone takes its versions with it. The query of a
 * command is planned with another tracker, while the command runs ({@link VersionsOfCommands}).
 */
final class VersionsOfStatement {
  private static final Map<QueryPlanningTracker, VersionsOfStatement> BY_TRACKER =
      Collections.synchronizedMap(new WeakHashMap<>());

  private static final TreeNodeTag<VersionsOfStatement> OF_COMMAND =
      new TreeNodeTag<>("io.repave.versions");

  private final Map<Path, Optional<VersionFiles>> found = new HashMap<>();
  private final Map<Path, IOException> failed = new HashMap<>();
  private final Map<VersionFiles, IndexedFiles> indexed = new HashMap<>();
  private final Map<Path, ShownVersion> shown = new HashMap<>();
  private final Map<ShownVersion, ShownVersion> planned = new HashMap<>();

  private VersionsOfStatement() {}

  /** Those of the statement that this thread plans. */
  static VersionsOfStatement ofThread() {
    Option<QueryPlanningTracker> tracker = QueryPlanningTracker.get();
    return tracker.isEmpty()
        ? new VersionsOfStatement()
        : BY_TRACKER.computeIfAbsent(
            tracker.get(), one -> ofCommand(one).orElseGet(VersionsOfStatement::new));
  }

  /** Lets the plan of each command in this plan read the versions of the thread's statement. */
  static void keepForCommands(LogicalPlan plan) {
    for (LogicalPlan node : PlanNodes.all(plan)) {
      if (node instanceof Command) {
        node.setTagValue(OF_COMMAND, around(node).orElseGet(VersionsOfStatement::ofThread));
      }
    }
  }

  /** Those that were kept for the running command, if the tracker is that of its own plan. */
  private static Optional<VersionsOfStatement> ofCommand(QueryPlanningTracker tracker) {
    return RunningQueries.ofThread()
        .flatMap(RunningQueries::writing)
        .filter(running -> running.tracker() == tracker)
        .flatMap(running -> kept(running.logical()));
  }

  /** Those of a running command, such as CREATE TABLE, whose rows this command writes. */
  private static Optional<VersionsOfStatement> around(LogicalPlan command) {
    Set<LogicalPlan> nodes = Collections.newSetFromMap(new IdentityHashMap<>());
    nodes.addAll(PlanNodes.all(command));
    Optional<VersionsOfStatement> found =
        RunningQueries.ofThread()
            .flatMap(RunningQueries::root)
            .map(QueryExecution::logical)
            .filter(outer -> asJava(outer.innerChildren()).stream().anyMatch(nodes::contains))
            .flatMap(VersionsOfStatement::kept);
    Option<QueryPlanningTracker> tracker = QueryPlanningTracker.get();
    if (found.isPresent() && tracker.isDefined()) {
      // Spark may plan this command with the tracker that analyzes it.
      BY_TRACKER.put(tracker.get(), found.get());
    }
    return found;
  }

  private static Optional<VersionsOfStatement> kept(LogicalPlan command) {
    Option<VersionsOfStatement> found = command.getTagValue(OF_COMMAND);
    return found.isEmpty() ? Optional.empty() : Optional.of(found.get());
  }

  /** The files of a version, in one index for all places of the statement that read it. */
  synchronized IndexedFiles indexed(VersionFiles version) throws IOException {
    IndexedFiles known = indexed.get(version);
    if (known == null) {
      known = IndexedFiles.of(version);
      indexed.put(version, known);
    }
    return known;
  }

  /** The version that all reads of a path in the statement show, which move together. */
  synchronized ShownVersion shown(RepaveFileSystem store, Path path, IndexedFiles files) {
    return shown.computeIfAbsent(path, asked -> new ShownVersion(store, asked, files));
  }

  /** What all scans of the statement read that show this version when it is planned. */
  synchronized ShownVersion planned(ShownVersion now) {
    return planned.computeIfAbsent(now, ShownVersion::copy);
  }

  /**
   * Empty if the path is not that of a snapshot table. A look that failed is not repeated: a later
   * one could show another version than what Spark has listed instead.
   */
  synchronized Optional<VersionFiles> find(RepaveFileSystem store, Path path) throws IOException {
    Path asked = store.makeQualified(path);
    if (failed.containsKey(asked)) {
      throw failed.get(asked);
    }
    Optional<VersionFiles> known = found.get(asked);
    if (known == null) {
      try {
        known = store.version(path);
      } catch (IOException e) {
        failed.put(asked, e);
        throw e;
      }
      found.put(asked, known);
    }
    return known;
  }
}
