package io.repave.spark.command;

import io.repave.DropOptions;
import io.repave.FollowerStatus;
import io.repave.RepaveTable;
import io.repave.VacuumOptions;
import io.repave.core.engine.Progress;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.TablePaths;
import io.repave.hadoop.TableAccess;
import io.repave.spark.catalog.MetastoreLocations;
import io.repave.spark.monitor.LastCommits;
import io.repave.spark.monitor.RunningCommits;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;

/**
 * {@link RepaveTable} for Python and the command line. Every method returns its result as one JSON
 * document of {@code docs/json.md}, or throws an exception of the engine.
 */
public final class TableGateway implements TableCalls {
  private final RepaveTable table;

  /** The session whose catalog may follow the table. */
  private final Optional<SparkSession> session;

  private TableGateway(RepaveTable table, Optional<SparkSession> session) {
    this.table = table;
    this.session = session;
  }

  /** The documents of an open table. */
  public static TableGateway of(RepaveTable table) {
    return new TableGateway(table, Optional.empty());
  }

  /** Opens a table in a session. */
  public static TableGateway open(SparkSession session, Configuration conf, String path)
      throws IOException {
    return new TableGateway(RepaveTable.open(session, conf, path), Optional.of(session));
  }

  static TableGateway open(Configuration conf, String path, Progress progress) throws IOException {
    return of(RepaveTable.open(conf, path, progress));
  }

  /** The last commit of this process to the table of a path; {@code null} for none. */
  public static String lastCommit(String path) throws InvalidConfigException {
    return LastCommits.JVM
        .of(TablePaths.of(TableAccess.location(new Path(path))).root())
        .map(last -> TableJson.lastCommit(last).toString())
        .orElse("null");
  }

  /** The commits of this process that have begun and are not over, as an array. */
  public static String runningCommits() {
    return TableJson.running(RunningCommits.JVM.all()).toString();
  }

  @Override
  public String status() throws IOException, InterruptedException {
    return TableJson.status(table.status()).toString();
  }

  public String history() throws IOException, InterruptedException {
    return history(Integer.MAX_VALUE);
  }

  /** The newest commits, at most {@code limit}. */
  public String history(int limit) throws IOException, InterruptedException {
    return TableJson.history(table.history(limit)).toString();
  }

  public String manifest(long version) throws IOException, InterruptedException {
    return TableJson.manifest(table.manifest(version)).toString();
  }

  /** The newest version that was published at or before a moment, as a number. */
  public String versionAt(long millis) throws IOException, InterruptedException {
    return Long.toString(table.versionAt(Instant.ofEpochMilli(millis)));
  }

  public String files(long version) throws IOException, InterruptedException {
    return TableJson.files(table.files(version)).toString();
  }

  @Override
  public String recover() throws IOException, InterruptedException {
    return TableJson.recovery(table.recover()).toString();
  }

  /** The partitions that the newest version's commit put files into, as an array. */
  public String newestPartitions() throws IOException, InterruptedException {
    return TableJson.texts(table.newestPartitions()).toString();
  }

  /** A negative {@code retentionMillis} means the configured retention. */
  @Override
  public String vacuum(boolean dryRun, long retentionMillis)
      throws IOException, InterruptedException {
    VacuumOptions options = VacuumOptions.configured();
    if (retentionMillis >= 0) {
      options = options.keeping(Duration.ofMillis(retentionMillis));
    }
    return TableJson.vacuum(table.vacuum(dryRun ? options.dryRun() : options)).toString();
  }

  @Override
  public String rollback(long version) throws IOException, InterruptedException {
    return TableJson.rollback(table.rollback(version)).toString();
  }

  /** {@code partitions} are names of folders, one in each line. */
  @Override
  public String dropPartitions(boolean dryRun, String partitions)
      throws IOException, InterruptedException {
    return drop(dryRun, DropOptions.of(partitions.lines().toArray(String[]::new)));
  }

  /** Removes the partitions whose value of a column is before this one. */
  @Override
  public String dropPartitionsBefore(boolean dryRun, String column, String value)
      throws IOException, InterruptedException {
    return drop(dryRun, DropOptions.before(column, value));
  }

  private String drop(boolean dryRun, DropOptions options)
      throws IOException, InterruptedException {
    return TableJson.drop(table.dropPartitions(dryRun ? options.dryRun() : options)).toString();
  }

  @Override
  public String follow(String follower) throws IOException, InterruptedException {
    return TableJson.followers(table.follow(kind(follower))).toString();
  }

  /** Lets a catalog's table follow; {@link #sync} updates it if the session has the catalog. */
  @Override
  public String follow(String follower, String name) throws IOException, InterruptedException {
    FollowerKind kind = kind(follower);
    Optional<MetastoreLocations> metastore = metastore(kind);
    if (metastore.isPresent()) {
      metastore.get().requireFollowable(name);
    }
    String answer = TableJson.followers(table.followBy(kind, name)).toString();
    if (metastore.isPresent()) {
      // Before the caller creates a table that would never be moved.
      metastore.get().requireFollowing(name, table.locations(kind, name));
    }
    return answer;
  }

  /** The same for a table that was dropped, and for one that follows instead of another one. */
  @Override
  public String refollow(String follower, String name) throws IOException, InterruptedException {
    FollowerKind kind = kind(follower);
    Optional<MetastoreLocations> metastore = metastore(kind);
    if (metastore.isPresent()) {
      metastore.get().requireFollowable(name);
    }
    return TableJson.followers(table.followAgainBy(kind, name)).toString();
  }

  private Optional<MetastoreLocations> metastore(FollowerKind kind) {
    return session.filter(it -> kind == FollowerKind.METASTORE).map(MetastoreLocations::beginning);
  }

  /** The locations that a catalog's table must have; Python sets those that this JVM cannot. */
  @Override
  public String locations(String follower, String name) throws IOException, InterruptedException {
    return TableJson.locations(table.locations(kind(follower), name)).toString();
  }

  /** Records that Python has updated the locations of a catalog's table. */
  @Override
  public String moved(String catalog, String name, String follower, long version)
      throws IOException, InterruptedException {
    return TableJson.followers(table.moved(kind(catalog), name, follower, version)).toString();
  }

  @Override
  public String unfollow(String follower) throws IOException, InterruptedException {
    return TableJson.followers(table.unfollow(kind(follower))).toString();
  }

  private static FollowerKind kind(String follower) throws InvalidConfigException {
    return FollowerKind.of(follower).orElseThrow(() -> CommandErrors.unknownFollower(follower));
  }

  /** Marks what begins to follow in the metastore of the session, and moves it. */
  public String beginInMetastore() throws IOException, InterruptedException {
    return moveBy(MetastoreLocations.beginning(session.orElseThrow()));
  }

  /** Moves what follows in the metastore of the session; it must be there. */
  public String moveInMetastore() throws IOException, InterruptedException {
    return moveBy(new MetastoreLocations(session.orElseThrow()));
  }

  private String moveBy(MetastoreLocations metastore) throws IOException, InterruptedException {
    return TableJson.followers(table.move(FollowerKind.METASTORE, metastore)).toString();
  }

  @Override
  public String sync() throws IOException, InterruptedException {
    if (session.isPresent() && !inMetastore(table.status().followers()).isEmpty()) {
      // Neither keeps the other back: each may stop for a reason of its own.
      return SyncSequence.run(this::moveInMetastore, this::syncOthers);
    }
    return syncOthers();
  }

  private String syncOthers() throws IOException, InterruptedException {
    return TableJson.followers(table.sync()).toString();
  }

  private static List<FollowerStatus> inMetastore(List<FollowerStatus> followers) {
    return followers.stream().filter(it -> it.follower() == FollowerKind.METASTORE).toList();
  }

  @Override
  public String adopt(boolean dryRun) throws IOException, InterruptedException {
    return TableJson.adoption(dryRun ? table.adoptDryRun() : table.adopt()).toString();
  }

  @Override
  public String repair() throws IOException, InterruptedException {
    return TableJson.repair(table.repair()).toString();
  }

  /** {@code commit} is the name of the folder of its records, or its id. */
  @Override
  public String cancel(String commit) throws IOException, InterruptedException {
    return TableJson.recovery(table.cancel(commit)).toString();
  }

  /** Tests with temporary objects whether the store keeps conditional writes. */
  public String probe() throws IOException, InterruptedException {
    return TableJson.probe(table.probe()).toString();
  }
}
