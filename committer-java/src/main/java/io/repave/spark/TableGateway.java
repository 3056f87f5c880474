package io.repave.spark;

import io.repave.core.Table;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.Progress;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.TablePaths;
import io.repave.core.snapshot.CommitManifest;
import io.repave.hadoop.Setting;
import io.repave.hadoop.TableAccess;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * The interface of a table for Python and the command line. Every method returns one JSON document
 * of {@code docs/json.md}, or throws an exception of the engine.
 */
public final class TableGateway {
  private final TableAccess access;
  private final Progress progress;
  private final Table table;
  private final TableDocuments documents;

  private TableGateway(String name, TableAccess access, Progress progress)
      throws InvalidConfigException {
    this.access = access;
    this.progress = progress;
    table = access.table(progress);
    documents = new TableDocuments(name, table);
  }

  public static TableGateway open(Configuration conf, String path) throws IOException {
    return open(conf, path, Progress.SILENT);
  }

  static TableGateway open(Configuration conf, String path, Progress progress) throws IOException {
    return new TableGateway(path, TableAccess.of(conf, path), progress);
  }

  /** Opens a table with the configuration of the session, including settings made at runtime. */
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

  /** The last commit of this process to the table of a path; {@code null} for none. */
  public static String lastCommit(String path) throws InvalidConfigException {
    return LastCommits.JVM
        .of(TablePaths.of(TableAccess.location(new Path(path))).root())
        .orElse("null");
  }

  public String status() throws IOException, InterruptedException {
    return documents.status().toString();
  }

  public String history() throws IOException, InterruptedException {
    return history(Integer.MAX_VALUE);
  }

  /** The newest commits, at most {@code limit}. */
  public String history(int limit) throws IOException, InterruptedException {
    return documents.history(limit).toString();
  }

  public String manifest(long version) throws IOException, InterruptedException {
    return documents.manifest(version).toString();
  }

  public String files(long version) throws IOException, InterruptedException {
    return documents.files(version).toString();
  }

  public String recover() throws IOException, InterruptedException {
    return TableJson.recovered(table, table.recover()).toString();
  }

  /** The partitions that the newest version's commit put files into, as an array. */
  public String newestPartitions() throws IOException, InterruptedException {
    return documents.newestPartitions().toString();
  }

  /** A negative {@code retentionMillis} means the configured retention. */
  public String vacuum(boolean dryRun, long retentionMillis)
      throws IOException, InterruptedException {
    long millis =
        retentionMillis < 0 ? access.settings().millis(Setting.RETENTION) : retentionMillis;
    return TableJson.vacuum(dryRun, dryRun ? table.vacuumDryRun(millis) : table.vacuum(millis))
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

  /** {@code commit} is the name of the folder of its records, or its id. */
  public String cancel(String commit) throws IOException, InterruptedException {
    return TableJson.recovered(table, List.of(table.cancel(commit))).toString();
  }

  /** Tests with temporary objects whether the store keeps conditional writes. */
  public String probe() throws IOException, InterruptedException {
    return TableJson.probe(access.tryOutStore()).toString();
  }
}
