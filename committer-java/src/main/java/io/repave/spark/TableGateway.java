package io.repave.spark;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.Table;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Progress;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * A table as Python and the command line speak to it: every method answers one JSON document, as
 * {@code docs/json.md} describes them, and refuses with an exception of the engine.
 */
public final class TableGateway {
  private static final long NEWEST = -1;

  private final String name;
  private final TableAccess access;
  private final Progress progress;
  private final Table table;

  private TableGateway(String name, TableAccess access, Progress progress)
      throws InvalidConfigException {
    this.name = name;
    this.access = access;
    this.progress = progress;
    table = access.table(progress);
  }

  public static TableGateway open(Configuration conf, String path) throws IOException {
    return open(conf, path, Progress.SILENT);
  }

  static TableGateway open(Configuration conf, String path, Progress progress) throws IOException {
    return new TableGateway(path, TableAccess.of(conf, path), progress);
  }

  /** Opens a table with what the session is configured with, set at runtime or before. */
  public static TableGateway open(SparkSession session, String path) throws IOException {
    Configuration conf = new Configuration(session.sparkContext().hadoopConfiguration());
    for (Setting setting : Setting.values()) {
      for (String key : List.of("spark." + setting.key(), setting.key())) {
        Option<String> value = session.conf().getOption(key);
        if (value.isDefined()) {
          conf.set(key, value.get());
        }
      }
    }
    return open(conf, path);
  }

  /** What this process committed last to the table of a path; {@code null} if it did not. */
  public static String lastCommit(String path) throws InvalidConfigException {
    return LastCommits.JVM
        .of(TablePaths.of(TableAccess.place(new Path(path))).root())
        .orElse("null");
  }

  public String status() throws IOException, InterruptedException {
    return TableJson.status(name, table.head()).toString();
  }

  public String history() throws IOException, InterruptedException {
    return history(Integer.MAX_VALUE);
  }

  /** The newest commits, at most so many: 1 GET each, and 1 for 500 older ones. */
  public String history(int limit) throws IOException, InterruptedException {
    List<JsonNode> entries = new ArrayList<>();
    Optional<Head> head = table.head();
    if (head.isPresent()) {
      Set<String> active = new HashSet<>();
      for (ActiveCommit commit : head.get().active()) {
        active.add(commit.id().id());
        entries.add(TableJson.entry(commit, table.manifest(commit.id())));
      }
      for (LoggedCommit commit : over(head.get(), limit)) {
        if (entries.size() < limit && !active.contains(commit.id().id())) {
          entries.add(TableJson.entry(commit, table.manifest(commit.id())));
        }
      }
    }
    return TableJson.array(entries).toString();
  }

  public String manifest(long version) throws IOException, InterruptedException {
    Head head = recorded();
    long wanted = version == NEWEST ? head.version() : version;
    for (LoggedCommit commit : table.history()) {
      if (commit.version() == wanted) {
        Optional<CommitManifest> plan = table.manifest(commit.id());
        if (plan.isPresent()) {
          return TableJson.manifest(table, wanted, plan.get()).toString();
        }
      }
    }
    throw noVersion(head, wanted);
  }

  public String files(long version) throws IOException, InterruptedException {
    Head head = recorded();
    long wanted = version == NEWEST ? head.version() : version;
    if (!head.keeps(wanted)) {
      throw noVersion(head, wanted);
    }
    return TableJson.files(wanted, table.snapshot(head, wanted)).toString();
  }

  public String recover() throws IOException, InterruptedException {
    return TableJson.recovered(table, table.recover()).toString();
  }

  /** The partitions that the newest version's commit put files into, as an array. */
  public String newestPartitions() throws IOException, InterruptedException {
    for (LoggedCommit commit : table.history(1)) {
      if (commit.version() == recorded().version()) {
        return TableJson.texts(AddedPartitions.of(table, commit.id())).toString();
      }
    }
    return TableJson.texts(List.of()).toString();
  }

  /** {@code retentionMillis} below 0 stands for the one that is configured. */
  public String vacuum(boolean dryRun, long retentionMillis)
      throws IOException, InterruptedException {
    long millis =
        retentionMillis < 0 ? access.settings().millis(Setting.RETENTION) : retentionMillis;
    return TableJson.vacuum(dryRun, dryRun ? table.rehearseVacuum(millis) : table.vacuum(millis))
        .toString();
  }

  public String rollback(long version) throws IOException, InterruptedException {
    return TableJson.rollback(table.rollback(version)).toString();
  }

  public String adopt() throws IOException, InterruptedException {
    CommitResult result = access.tableToBegin(progress).adopt();
    Optional<CommitManifest> plan = table.manifest(result.by());
    return TableJson.adoption(table, result, plan).toString();
  }

  public String repair() throws IOException, InterruptedException {
    return TableJson.repaired(table.repair()).toString();
  }

  /** {@code commit}: the name of the folder of its records, or its id. */
  public String cancel(String commit) throws IOException, InterruptedException {
    return TableJson.recovered(table, List.of(table.cancel(commit))).toString();
  }

  /** Whether the store keeps conditional writes, tried with a record of its own. */
  public String probe() throws IOException, InterruptedException {
    return TableJson.probe(access.tryOutStore()).toString();
  }

  /**
   * What is over, newest first: those in the head, reverted ones too, then older published ones.
   */
  private List<LoggedCommit> over(Head head, int wanted) throws IOException, InterruptedException {
    List<LoggedCommit> all = new ArrayList<>(table.history(wanted));
    all.removeAll(head.log());
    all.addAll(head.log());
    Collections.reverse(all);
    return all;
  }

  private Head recorded() throws IOException, InterruptedException {
    return table
        .head()
        .orElseThrow(
            () ->
                new InvalidConfigException(
                    "Nothing was ever committed to " + name + " by Repave: it has no versions."));
  }

  private InvalidConfigException noVersion(Head head, long version) {
    return new InvalidConfigException(
        name + " has no version " + version + "; its newest is " + head.version() + ".");
  }
}
