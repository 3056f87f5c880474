package io.repave.core.follow;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.engine.TableContext;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerState;
import io.repave.core.record.Head;
import io.repave.core.snapshot.History;
import io.repave.core.snapshot.LiveFiles;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.RowFileFormat.RowFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/**
 * A checkpoint of a Delta log: all that its versions up to one say, in one Parquet file, so that
 * readers need only the versions since. It depends on the records alone; every process that writes
 * it writes the same rows.
 *
 * <p>Requests: 1 HEAD, 1 GET of the state, those of the live files, 1 GET of the head, 1 PUT, 1 GET
 * and 1 PUT of the pointer to it. If the process dies here: the next checkpoint, or a sync, points
 * further.
 */
final class DeltaCheckpoint {
  /** A checkpoint is written from memory: about four million files. */
  private static final int BYTES_MAX = 256 << 20;

  /** The protocol and the columns; a row for each file follows. */
  private static final int LEADING_ROWS = 2;

  private static final String TEXTS =
      " (LIST) { repeated group list { optional binary element (STRING); } } ";
  private static final String MAP =
      " (MAP) { repeated group key_value { required binary key (STRING);"
          + " optional binary value (STRING); } } ";

  /** The columns that every reader of checkpoints of Delta's oldest protocol expects. */
  private static final String COLUMNS =
      "message checkpoint {"
          + " optional group txn { optional binary appId (STRING); optional int64 version;"
          + " optional int64 lastUpdated; }"
          + " optional group add { optional binary path (STRING); optional group partitionValues"
          + MAP
          + "optional int64 size; optional int64 modificationTime; optional boolean dataChange;"
          + " optional binary stats (STRING); }"
          + " optional group remove { optional binary path (STRING);"
          + " optional int64 deletionTimestamp; optional boolean dataChange; }"
          + " optional group metaData { optional binary id (STRING);"
          + " optional group format { optional binary provider (STRING); optional group options"
          + MAP
          + "} optional binary schemaString (STRING); optional group partitionColumns"
          + TEXTS
          + "optional group configuration"
          + MAP
          + "optional int64 createdTime; }"
          + " optional group protocol { optional int32 minReaderVersion;"
          + " optional int32 minWriterVersion; optional group writerFeatures"
          + TEXTS
          + "} }";

  private final TableContext context;
  private final Head head;
  private final Follower follower;

  DeltaCheckpoint(TableContext context, Head head, Follower follower) {
    this.context = context;
    this.head = head;
    this.follower = follower;
  }

  /**
   * The newest version after {@code followed}, and not after the follower's, that should have a
   * checkpoint; empty if there is none.
   */
  static Optional<Long> due(Follower follower, long followed, int every) {
    long newest = follower.followed() / every * every;
    return newest > Math.max(followed, follower.from()) ? Optional.of(newest) : Optional.empty();
  }

  /**
   * Writes the checkpoint of a version that the log has, unless it is there. Readers do not find
   * one whose writer died before it wrote the pointer, so that is written all the same.
   */
  void write(long version) throws IOException, InterruptedException {
    FollowerState state = new FollowerStates(context).newest(follower);
    if (state.version() > version) {
      // The columns have changed since. The next checkpoint has them.
      return;
    }
    long number = version - follower.from();
    String name = String.format(Locale.ROOT, "%020d.checkpoint.parquet", number);
    Location at = context.paths().deltaLog().resolve(name);
    Optional<ListedObject> found = context.records().find(at);
    if (found.isPresent()) {
      restorePointer(version, number, found.get().bytes());
      return;
    }
    try (RowFile file = context.ports().rows().begin(COLUMNS, BYTES_MAX)) {
      long rows = rows(file, state, version);
      byte[] content = file.end();
      // The version of the log is there, so no reader sees a later state than the log has.
      if (!follows()) {
        return;
      }
      context.records().put(at, content);
      point(number, rows, content.length);
    }
  }

  private void restorePointer(long version, long number, long bytes)
      throws IOException, InterruptedException {
    if (lastCheckpoint(context) >= number) {
      return;
    }
    long rows = LEADING_ROWS + files(version);
    if (follows()) {
      point(number, rows, bytes);
    }
  }

  /** False when it was switched off in the meantime. A new log has other numbers. */
  private boolean follows() throws IOException, InterruptedException {
    return follower.isIn(context.heads().read().head());
  }

  private long files(long version) throws IOException, InterruptedException {
    long[] count = {0};
    try (LiveFiles.Open live = new LiveFiles(context).all(head, version)) {
      live.each(FollowedChange.read((partition, entry) -> count[0]++));
    }
    return count[0];
  }

  private long rows(RowFile file, FollowerState state, long version)
      throws IOException, InterruptedException {
    long millis =
        new History(context)
            .publishedSince(head, version - 1).stream()
                .findFirst()
                .map(DeltaLog::millis)
                .orElse(0L);
    DeltaVersion row = DeltaVersion.ofCheckpoint(version, millis);
    row.protocol();
    file.add(row.drained());
    row.metaData(follower, state, millis);
    file.add(row.drained());
    long[] count = {LEADING_ROWS};
    FileStatistics statistics = FileStatistics.of(state);
    try (LiveFiles.Open live = new LiveFiles(context).all(head, version)) {
      live.each(
          FollowedChange.read(
              (partition, entry) -> {
                row.add(PartitionFolder.of(partition), entry, state, statistics);
                file.add(row.drained());
                count[0]++;
              }));
    }
    return count[0];
  }

  /** Readers begin here, and look for newer checkpoints themselves. */
  private void point(long number, long rows, long bytes) throws IOException, InterruptedException {
    if (lastCheckpoint(context) < number) {
      String json =
          String.format(
              Locale.ROOT,
              "{\"version\":%d,\"size\":%d,\"sizeInBytes\":%d,\"numOfAddFiles\":%d}",
              number,
              rows,
              bytes,
              rows - LEADING_ROWS);
      context.records().put(pointer(context), json.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static Location pointer(TableContext context) {
    return context.paths().deltaLog().resolve("_last_checkpoint");
  }

  /** The number of the checkpoint with which readers begin; -1 if there is none. */
  static long lastCheckpoint(TableContext context) throws IOException, InterruptedException {
    Optional<byte[]> content = context.records().read(pointer(context));
    return content
        .map(it -> FirstJson.of(it).path("version"))
        .filter(JsonNode::canConvertToLong)
        .map(JsonNode::longValue)
        .orElse(-1L);
  }
}
