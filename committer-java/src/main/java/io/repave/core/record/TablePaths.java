package io.repave.core.record;

import io.repave.core.store.Location;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The places of a table's records and files. */
public record TablePaths(Location root) {
  /** The name of a commit's heartbeat. */
  public static final String HEARTBEAT = "heartbeat.json";

  /** What the names of a commit's manifest and its shards begin with. */
  public static final String MANIFEST = "manifest";

  /** The name of a commit's report. */
  public static final String REPORT = "report.json";

  /** What the names of the stored messages of a commit's tasks begin with. */
  public static final String TASK = "task-";

  private static final String HEAD = "head.json";
  private static final String ABSOLUTE = "s3://";

  /**
   * The table that a written path belongs to: trailing {@code key=value} folders are partitions.
   */
  public static TablePaths of(Location written) {
    String key = written.key().endsWith("/") ? chop(written.key()) : written.key();
    while (key.substring(key.lastIndexOf('/') + 1).indexOf('=') > 0) {
      key = key.lastIndexOf('/') < 0 ? "" : key.substring(0, key.lastIndexOf('/'));
    }
    return new TablePaths(new Location(written.bucket(), key));
  }

  /** The table whose head a file is, by its name; empty for any other file. */
  public static Optional<TablePaths> ofHead(Location file) {
    if (!file.name().equals(HEAD)) {
      return Optional.empty();
    }
    TablePaths table = new TablePaths(file.parent().parent());
    return Optional.of(table).filter(it -> it.head().equals(file));
  }

  /** The table that has its records in this folder, or in one around it; empty for other files. */
  public static Optional<TablePaths> ofRecord(Location at) {
    for (Location folder = at; !folder.key().isEmpty(); folder = folder.parent()) {
      if (folder.name().equals(RecordNames.FOLDER)) {
        return Optional.of(new TablePaths(folder.parent()));
      }
    }
    return Optional.empty();
  }

  private static String chop(String key) {
    return key.substring(0, key.length() - 1);
  }

  /** Whether this is the folder of a table's records, or a folder in it. */
  public boolean isAmongRecords() {
    return List.of(root.key().split("/")).contains(RecordNames.FOLDER);
  }

  /** The folder of all records. */
  public Location records() {
    return root.resolve(RecordNames.FOLDER);
  }

  public Location head() {
    return records().resolve(HEAD);
  }

  /** The folder of the records of MapReduce jobs that run. */
  public Location jobs() {
    return records().resolve("jobs");
  }

  /** The folder of the records of all commits. */
  public Location commits() {
    return records().resolve("commits");
  }

  public Location commit(CommitId id) {
    return commits().resolve(id.folder());
  }

  /** The commit that a record belongs to; empty for another record, or an object of others. */
  public Optional<CommitId> commitOf(Location record) {
    if (!commits().holds(record)) {
      return Optional.empty();
    }
    String path = commits().relative(record);
    return CommitId.find(path.substring(0, Math.max(0, path.indexOf('/'))));
  }

  public Location uploads(CommitId id) {
    return commit(id).resolve("uploads.json.gz");
  }

  public Location uploadsShard(CommitId id, int shard) {
    return commit(id).resolve(String.format(Locale.ROOT, "uploads-%05d.json.gz", shard));
  }

  public Location manifest(CommitId id) {
    return commit(id).resolve(MANIFEST + ".json.gz");
  }

  public Location manifestShard(CommitId id, String name) {
    return commit(id).resolve(name);
  }

  public Location report(CommitId id) {
    return commit(id).resolve(REPORT);
  }

  /** The record that a running commit rewrites to show that it is alive. */
  public Location heartbeat(CommitId id) {
    return commit(id).resolve(HEARTBEAT);
  }

  /** The folder of all checkpoints. */
  public Location checkpoints() {
    return records().resolve("checkpoints");
  }

  public Location checkpoint(String name) {
    return checkpoints().resolve(name);
  }

  /** The record of a token. Tokens are free text, so its name is the token's bytes in hex. */
  public Location token(String token) {
    String hex = HexFormat.of().formatHex(token.getBytes(StandardCharsets.UTF_8));
    return records().resolve("tokens/" + hex + ".json");
  }

  /** The folder of the states of followers. */
  public Location followers() {
    return records().resolve("followers");
  }

  /** What a follower needs to know of the table from a version on. */
  public Location followerState(String follower, long version) {
    return followers().resolve(follower + "-" + version + ".json");
  }

  /** The folder of a follower's pointer. */
  public Location pointer(FollowerKind kind) {
    return root.resolve(kind.folder());
  }

  /** The folder that makes the table a Delta table. */
  public Location deltaLog() {
    return pointer(FollowerKind.DELTA);
  }

  /** The folder of a partition's symlink manifest. */
  public Location symlinks(String partition) {
    return pointer(FollowerKind.SYMLINK).resolve(partition);
  }

  /** The cancellation mark of a commit, which prevents its reservation. */
  public Location cancelled(String commit) {
    return records().resolve("refused/" + commit + ".json");
  }

  /** The folder of a partition, inside or outside the table. */
  public Location folder(String partition) {
    if (!RecordNames.isOutside(partition)) {
      return root.resolve(partition);
    }
    String rest = partition.substring(ABSOLUTE.length());
    int slash = rest.indexOf('/');
    return new Location(rest.substring(0, slash), rest.substring(slash + 1));
  }

  public Location file(String partition, String name) {
    return folder(partition).resolve(name);
  }

  /** The name of a folder in records: relative inside the table, absolute outside it. */
  public String partition(Location folder) {
    if (folder.equals(root)) {
      return "";
    }
    return root.holds(folder) ? root.relative(folder) : folder.toString();
  }
}
