package io.repave.core.follow;

import io.repave.core.engine.FileSink;
import io.repave.core.error.DeltaLogErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Schema;
import io.repave.core.listing.TouchedListing;
import io.repave.core.record.FileEntry;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerState;
import io.repave.core.record.FollowerState.Column;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Collects what the added files of a version say of the table's columns. A file whose columns are
 * not known changes nothing: readers take what it has.
 */
final class FollowedChange implements FileSink {
  private static final String SUFFIX = ".parquet";

  private final List<Column> logged;
  private Optional<List<Column>> partitionColumns;
  private final BoundedColumns bounded;
  private Optional<FileSchema> schema;
  private PartitionFolder first;
  private String lastPartition;
  private String lastSchema;

  /** Begins from what is known before the version. */
  FollowedChange(Optional<FollowerState> before) throws InvalidRecordException {
    partitionColumns = before.map(FollowerState::partitionColumns);
    logged = partitionColumns.orElse(List.of());
    schema =
        before.isPresent() ? Optional.of(FileSchema.read(before.get().schema())) : Optional.empty();
    bounded = new BoundedColumns(before.map(FollowerState::bounded).orElse(List.of()));
  }

  @Override
  public void file(String partition, FileEntry file) throws InvalidRecordException {
    if (!isRead(file)) {
      return;
    }
    if (!file.name().endsWith(SUFFIX)) {
      throw DeltaLogErrors.notParquet(DeltaVersion.path(partition, file));
    }
    if (!partition.equals(lastPartition)) {
      lastPartition = partition;
      PartitionFolder folder = PartitionFolder.of(partition);
      requireOnePlace(folder);
      partitionColumns =
          Optional.of(
              partitionColumns.isPresent()
                  ? folder.widen(partitionColumns.get())
                  : folder.columns());
      requireReadable(partitionColumns.get());
    }
    bounded.file(file.facts());
    Optional<String> columns = schemaOf(file);
    if (columns.isPresent() && !columns.get().equals(lastSchema)) {
      columns(columns.get());
    }
  }

  /** Spark does not read a table in several unnamed folders, and one may be a copy of another. */
  private void requireOnePlace(PartitionFolder folder) throws InvalidRecordException {
    if (first == null) {
      first = folder;
    } else if (!folder.place().equals(first.place())) {
      throw DeltaLogErrors.otherPlace(first.partition(), folder.partition());
    }
  }

  /** True if the files are not where a commit writes; an adoption may have found copies. */
  boolean isInUnnamedFolder() {
    return first != null && !first.place().isEmpty();
  }

  /** Compares the place of another live file with that of the added ones. */
  void live(String partition, FileEntry file) throws InvalidRecordException {
    if (isRead(file)) {
      requireOnePlace(PartitionFolder.of(partition));
    }
  }

  /** The log names files of earlier versions by dates, which readers do not take for times. */
  private void requireReadable(List<Column> now) throws InvalidRecordException {
    for (int i = 0; i < logged.size(); i++) {
      Column before = logged.get(i);
      if (before.type().equals("date") && now.get(i).type().equals("timestamp")) {
        throw DeltaLogErrors.otherType(before.name(), before.type(), now.get(i).type());
      }
    }
  }

  /** Passes on the files that a log names. */
  static FileSink read(FileSink sink) {
    return (partition, file) -> {
      if (isRead(file)) {
        sink.file(partition, file);
      }
    };
  }

  /** Spark passes over empty files and unfinished copies; readers of Delta tables fail at them. */
  static boolean isRead(FileEntry file) {
    return file.bytes() > 0 && !TouchedListing.isUnfinishedCopy(file.name());
  }

  /** True for a file whose writer recorded its columns. */
  static boolean tellsColumns(FileEntry file) {
    return schemaOf(file).isPresent();
  }

  /** The columns of a file, when its writer recorded them. */
  private static Optional<String> schemaOf(FileEntry file) {
    return file.facts().schema().map(Schema::json);
  }

  /** Adds the columns of a file. */
  void columns(String json) throws InvalidRecordException {
    lastSchema = json;
    schema = Optional.of(schema.orElse(FileSchema.EMPTY).with(FileSchema.read(json)));
  }

  /** The state from a version on; empty while no file has told its columns. */
  Optional<FollowerState> state(Follower follower, long version) throws InvalidRecordException {
    if (schema.isEmpty()) {
      return Optional.empty();
    }
    List<Column> partitions = partitionColumns.orElse(List.of());
    schema.get().requireDistinct(partitions);
    String columns = schema.get().json();
    if (columns.length() > FollowerState.SCHEMA_MAX) {
      throw DeltaLogErrors.tooManyColumns(FollowerState.SCHEMA_MAX);
    }
    Map<String, String> types = FileStatistics.types(schema.get(), partitions);
    return Optional.of(
        new FollowerState(follower.id(), version, partitions, columns, bounded.of(types)));
  }
}
