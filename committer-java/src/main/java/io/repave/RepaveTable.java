package io.repave;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.LocationCatalog;
import io.repave.core.follow.Locations;
import io.repave.core.record.FollowerKind;
import io.repave.hadoop.TableAccess;
import io.repave.hadoop.read.SharedStates;
import io.repave.hadoop.runtime.InterruptibleCall;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;

/**
 * A table on S3: its state, its history and its maintenance.
 *
 * <p>In Scala:
 *
 * <pre>{@code
 * import io.repave.{RepaveTable, VacuumOptions}
 * import java.time.Duration
 * import scala.jdk.CollectionConverters._
 *
 * val table = RepaveTable.open(spark, "s3a://lake/sales")
 * table.recover().commits.asScala.foreach(c => println(s"${c.commit} ${c.outcome}"))
 * for (entry <- table.history(10).asScala) println(s"${entry.version} ${entry.kind}")
 * table.vacuum(VacuumOptions.configured().keeping(Duration.ofDays(7)))
 * }</pre>
 *
 * <p>In Java:
 *
 * <pre>{@code
 * RepaveTable table = RepaveTable.open(configuration, "s3a://lake/sales");
 * for (PartitionFiles partition : table.files().partitions()) {
 *   System.out.println(partition.partition() + " " + partition.files().size());
 * }
 * }</pre>
 *
 * <p>An instance remembers nothing about the table, and any number of threads may use it. To open
 * it sends no request. Every method throws {@link InvalidConfigException} for a question that the
 * table cannot answer, such as an unknown version. It throws another {@link IOException} when the
 * store or the records fail, and {@link InterruptedException} when its thread is interrupted.
 */
public final class RepaveTable {
  /** Stands for the newest version. */
  public static final long NEWEST = -1;

  private final String name;
  private final TableSource source;
  private final Table table;
  private final TableReader reader;
  private final Optional<OpenedSession> session;

  /** {@code name} is the table's name in results and messages. */
  RepaveTable(String name, TableSource source) throws IOException {
    this(name, source, Optional.empty());
  }

  private RepaveTable(String name, TableSource source, Optional<OpenedSession> session)
      throws IOException {
    this.name = name;
    this.source = source;
    this.session = session;
    table = source.table();
    reader = new TableReader(name, table);
  }

  /**
   * Opens the table of a path with the configuration of the session, as it is at this moment. The
   * session's cached frames, and its catalog if it follows the table, show the changes that are
   * made.
   */
  public static RepaveTable open(SparkSession session, String path) throws IOException {
    return open(session, SessionConfiguration.of(session), path);
  }

  /** The same with another configuration than the session's. */
  public static RepaveTable open(SparkSession session, Configuration conf, String path)
      throws IOException {
    TableSource source = new HadoopTable(TableAccess.of(conf, path), Progress.SILENT);
    return new RepaveTable(path, source, Optional.of(new OpenedSession(session, path)));
  }

  /**
   * Opens the table of a path; {@code conf} has the settings of Repave and of the S3A connector.
   */
  public static RepaveTable open(Configuration conf, String path) throws IOException {
    return open(conf, path, Progress.SILENT);
  }

  /** The same; {@code progress} hears of each step of a commit or a recovery. */
  public static RepaveTable open(Configuration conf, String path, Progress progress)
      throws IOException {
    return new RepaveTable(path, new HadoopTable(TableAccess.of(conf, path), progress));
  }

  /** The table's version and its unfinished commits. Requests: 1 GET. */
  public TableStatus status() throws IOException, InterruptedException {
    return reader.status();
  }

  /** Every commit that is still recorded, as {@link #history(int)} sorts them. */
  public List<HistoryEntry> history() throws IOException, InterruptedException {
    return history(Integer.MAX_VALUE);
  }

  /**
   * The newest commits, at most {@code limit}: unfinished ones first, the oldest of them first;
   * then the others, newest first. Requests: 1 GET for each, and 1 for each checkpoint that is
   * read: up to 500 commits on a listing table without followers, usually 5 to 20 on any other.
   */
  public List<HistoryEntry> history(int limit) throws IOException, InterruptedException {
    return reader.history(limit);
  }

  /** What the newest version added and removed. */
  public TableManifest manifest() throws IOException, InterruptedException {
    return manifest(NEWEST);
  }

  /** What a version added and removed. */
  public TableManifest manifest(long version) throws IOException, InterruptedException {
    return reader.manifest(version);
  }

  /**
   * The newest version that was published at or before a moment, for {@link #manifest(long)},
   * {@link #files(long)} and {@link #rollback}. Requests: 1 GET, and 1 for each checkpoint that is
   * read, as for {@link #history(int)}.
   */
  public long versionAt(Instant moment) throws IOException, InterruptedException {
    return reader.versionAt(moment);
  }

  /** The files of the newest version. */
  public TableFiles files() throws IOException, InterruptedException {
    return files(NEWEST);
  }

  /** The files of a version, all in memory. */
  public TableFiles files(long version) throws IOException, InterruptedException {
    return reader.files(version);
  }

  /**
   * The partitions that the newest version's commit put files into; none without a version. A
   * catalog that missed the commit has to be told about them.
   */
  public List<String> newestPartitions() throws IOException, InterruptedException {
    return reader.newestPartitions();
  }

  /** Finishes every commit that a dead process left unfinished. */
  public RecoveryResult recover() throws IOException, InterruptedException {
    // Also with nothing left to finish: a job that lost its last answers has shown nothing.
    return shown(changing(() -> Results.recovery(table, table.recover())));
  }

  /** Deletes what no version within the configured retention needs. */
  public VacuumResult vacuum() throws IOException, InterruptedException {
    return vacuum(VacuumOptions.configured());
  }

  /** Deletes, or reports, what no version within the retention needs. */
  public VacuumResult vacuum(VacuumOptions options) throws IOException, InterruptedException {
    long millis =
        options.retention().isPresent()
            ? options.retention().map(Duration::toMillis).get()
            : source.retentionMillis();
    return Results.vacuum(
        options, options.isDryRun() ? table.vacuumDryRun(millis) : table.vacuum(millis));
  }

  /**
   * Switches a follower on, and brings it to the newest version; from then on every commit does. A
   * listing table first adopts the files in its folders. Nothing changes if the follower is on.
   */
  public FollowResult follow(FollowerKind follower) throws IOException, InterruptedException {
    source.requireWholeTable();
    source.tableToBegin().follow(follower);
    return Results.followers(table.head());
  }

  /**
   * Lets a table in a catalog follow this snapshot table. {@link #move} updates its locations,
   * after each commit.
   */
  public FollowResult followBy(FollowerKind kind, String name)
      throws IOException, InterruptedException {
    source.requireWholeTable();
    table.followBy(kind, name);
    return Results.followers(table.head());
  }

  /**
   * The same for a table that was dropped from the catalog, and for a table of another catalog,
   * which becomes the follower. {@link #move} no longer updates the former follower.
   */
  public FollowResult followAgainBy(FollowerKind kind, String name)
      throws IOException, InterruptedException {
    source.requireWholeTable();
    table.followAgainBy(kind, name);
    return Results.followers(table.head());
  }

  /** Gives a catalog that follows the table the locations of the newest version. */
  public FollowResult move(FollowerKind kind, LocationCatalog catalog)
      throws IOException, InterruptedException {
    table.move(kind, catalog);
    return Results.followers(table.head());
  }

  /**
   * The locations that a catalog's table has to have at the newest version. A program that has its
   * own client of the catalog sets them, then calls {@link #moved} with their version. If the table
   * has a newer version by then, the program begins again.
   */
  public Locations locations(FollowerKind kind, String name)
      throws IOException, InterruptedException {
    return table.locations(kind, name);
  }

  /**
   * Records that a catalog's table has the {@link #locations} of a version. {@code follower} is the
   * id of their follower; it is refused if another table follows by now.
   */
  public FollowResult moved(FollowerKind kind, String name, String follower, long version)
      throws IOException, InterruptedException {
    table.moved(kind, name, follower, version);
    return Results.followers(table.head());
  }

  /** Switches a follower off, and deletes its pointer. Nothing changes if it is off. */
  public FollowResult unfollow(FollowerKind follower) throws IOException, InterruptedException {
    source.requireWholeTable();
    table.unfollow(follower);
    return Results.followers(table.head());
  }

  /** Brings all followers to the newest version, except catalogs: {@link #move} does that. */
  public FollowResult sync() throws IOException, InterruptedException {
    table.sync();
    return Results.followers(table.head());
  }

  /**
   * Makes the files of an earlier version live again, as a new version. The state before version 1
   * has no files, so it is refused: that would empty the table.
   */
  public RollbackResult rollback(long version) throws IOException, InterruptedException {
    source.requireWholeTable();
    if (version < 1) {
      throw TableErrors.noVersionBefore1(name, version);
    }
    return shown(changing(() -> Results.rollback(table.rollback(version))));
  }

  /**
   * Removes whole partitions, as a new version. On a snapshot table vacuum deletes the files later,
   * and {@link #rollback} restores them until then; on a listing table they are deleted at once.
   * Nothing changes if no partition has files.
   */
  public DropResult dropPartitions(DropOptions options) throws IOException, InterruptedException {
    source.requireWholeTable();
    DropResult result = changing(() -> new PartitionDrop(name, table).run(options));
    return result.commit().isPresent() ? shown(result) : result;
  }

  /** Makes the records name exactly the files in the table's folders, as a new version. */
  public AdoptionResult adopt() throws IOException, InterruptedException {
    return shown(changing(() -> Results.adoption(table, source.tableToBegin().adopt())));
  }

  /** What {@link #adopt} would change, or why it would refuse. Nothing is written. */
  public AdoptionResult adoptDryRun() throws IOException, InterruptedException {
    return Results.adoption(table, table.previewAdoption());
  }

  /** Rebuilds the records from the table's folders when records of its history are lost. */
  public RepairResult repair() throws IOException, InterruptedException {
    source.requireWholeTable();
    return shown(changing(() -> Results.repair(table.repair())));
  }

  /**
   * Reverts an unpublished commit that {@link #recover} cannot finish: it has no manifest and none
   * can be written, or its ledger or manifest is lost. A published commit that no record describes
   * any more is ended: its rows stay, next to old ones.
   *
   * @param commit the name of the commit's folder under {@code _repave/commits/}, or its id
   */
  public RecoveryResult cancel(String commit) throws IOException, InterruptedException {
    return shown(changing(() -> Results.recovery(table, List.of(table.cancel(commit)))));
  }

  /** Tests with temporary objects whether the store supports conditional writes: 20 requests. */
  public StoreProbe probe() throws IOException, InterruptedException {
    return Results.probe(source.tryOutStore());
  }

  /** Runs a change of the table, which a query of this JVM must see afterwards. */
  private static <T> T changing(InterruptibleCall<T> change)
      throws IOException, InterruptedException {
    try {
      return change.run();
    } finally {
      SharedStates.committed();
    }
  }

  /** The result of a change, after the session that the table was opened in shows it. */
  private <T> T shown(T result) {
    session.ifPresent(it -> it.changed(this));
    return result;
  }
}
