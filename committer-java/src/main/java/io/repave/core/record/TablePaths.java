package io.repave.core.record;

import io.repave.core.store.Location;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;

/** Where a table's records and files are. */
public record TablePaths(Location root) {
  /** The name of a heartbeat, among the records of its commit. */
  public static final String HEARTBEAT = "heartbeat.json";

  private static final String ELSEWHERE = "s3://";

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

  private static String chop(String key) {
    return key.substring(0, key.length() - 1);
  }

  /** The folder of all records. */
  public Location records() {
    return root.resolve(RecordNames.FOLDER);
  }

  public Location head() {
    return records().resolve("head.json");
  }

  public Location commit(CommitId id) {
    return records().resolve("commits/" + id.folder());
  }

  public Location uploads(CommitId id) {
    return commit(id).resolve("uploads.json.gz");
  }

  public Location uploadsShard(CommitId id, int shard) {
    return commit(id).resolve(String.format(Locale.ROOT, "uploads-%05d.json.gz", shard));
  }

  public Location manifest(CommitId id) {
    return commit(id).resolve("manifest.json.gz");
  }

  public Location manifestShard(CommitId id, String name) {
    return commit(id).resolve(name);
  }

  public Location report(CommitId id) {
    return commit(id).resolve("report.json");
  }

  /** What a running commit writes again and again, to show that it is alive. */
  public Location heartbeat(CommitId id) {
    return commit(id).resolve(HEARTBEAT);
  }

  public Location checkpoint(String name) {
    return records().resolve("checkpoints/" + name);
  }

  /** The record of a decided token; tokens are free text, so their bytes in hex name it. */
  public Location token(String token) {
    String hex = HexFormat.of().formatHex(token.getBytes(StandardCharsets.UTF_8));
    return records().resolve("tokens/" + hex + ".json");
  }

  /** Stands for a commit that a vacuum took for dead: it can never be reserved. */
  public Location refused(String commit) {
    return records().resolve("refused/" + commit + ".json");
  }

  /** The folder of a partition, inside the table or elsewhere. */
  public Location folder(String partition) {
    if (!RecordNames.elsewhere(partition)) {
      return root.resolve(partition);
    }
    String rest = partition.substring(ELSEWHERE.length());
    int slash = rest.indexOf('/');
    return new Location(rest.substring(0, slash), rest.substring(slash + 1));
  }

  public Location file(String partition, String name) {
    return folder(partition).resolve(name);
  }

  /** How records call a folder: relative inside the table, absolute elsewhere. */
  public String partition(Location folder) {
    if (folder.equals(root)) {
      return "";
    }
    return root.holds(folder) ? root.relative(folder) : folder.toString();
  }
}
