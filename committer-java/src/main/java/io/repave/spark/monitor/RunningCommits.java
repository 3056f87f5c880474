package io.repave.spark.monitor;

import io.repave.core.engine.Step;
import io.repave.core.store.Location;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How far the commits of this process are that have begun and are not over, for a notebook. */
public final class RunningCommits {
  public static final RunningCommits JVM = new RunningCommits();

  private final Map<Object, Running> commits = new ConcurrentHashMap<>();

  /** A commit in one of its steps; {@code total} is 0 when the step has nothing to count. */
  public record Running(Location table, String commit, Step step, long done, long total) {}

  /** Notes how far the commit of a write is. {@code write} is the same object in every call. */
  void at(Object write, Running commit) {
    commits.put(write, commit);
  }

  void over(Object write) {
    commits.remove(write);
  }

  public List<Running> all() {
    return List.copyOf(commits.values());
  }
}
