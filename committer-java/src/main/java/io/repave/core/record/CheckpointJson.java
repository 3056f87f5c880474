package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.SchemaList;
import io.repave.core.record.CheckpointIndex.FilesAt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** Reads and writes checkpoints as JSON. */
public final class CheckpointJson {
  private static final String INDEX = "checkpoint";
  private static final String SHARD = "checkpoint-shard";

  private CheckpointJson() {}

  public static byte[] writeIndex(CheckpointIndex index) throws InvalidRecordException {
    ObjectNode json =
        RecordCodec.begin(INDEX)
            .put("version", index.version())
            .put("previous", index.previous())
            .put("previous-version", index.previousVersion())
            .put("files-checkpoint", index.files().checkpoint())
            .put("files-version", index.files().version());
    ArrayNode shards = json.putArray("shards");
    for (CheckpointShard shard : index.shards()) {
      shards
          .addObject()
          .put("name", shard.name())
          .put("first", shard.first())
          .put("last", shard.last())
          .put("files", shard.files())
          .put("sorted", shard.sorted());
    }
    ArrayNode commits = json.putArray("commits");
    for (LoggedCommit commit : index.commits()) {
      LoggedCommitJson.put(commits.addObject(), commit);
    }
    return RecordCodec.sealPacked(json);
  }

  public static CheckpointIndex readIndex(byte[] bytes, String where)
      throws InvalidRecordException {
    Fields json = new Fields(RecordCodec.open(bytes, INDEX, where), where);
    List<CheckpointShard> shards = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Fields shard : json.objects("shards")) {
      String name = RecordNames.checkName(shard.text("name"), where);
      if (!names.add(name)) {
        throw json.wrong("shards");
      }
      shards.add(
          new CheckpointShard(
              name,
              RecordNames.checkPartition(shard.text("first"), where),
              RecordNames.checkPartition(shard.text("last"), where),
              shard.number("files"),
              shard.optionalFlag("sorted")));
    }
    List<LoggedCommit> commits = LoggedCommitJson.readAll(json, "commits");
    String previous = json.text("previous");
    if (!previous.isEmpty()) {
      RecordNames.checkName(previous, where);
    }
    long version = json.number("version");
    FilesAt files = filesAt(json);
    if (files.version() > version) {
      throw json.wrong("files-version");
    }
    return new CheckpointIndex(
        version, previous, json.number("previous-version"), shards, commits, files);
  }

  private static FilesAt filesAt(Fields json) throws InvalidRecordException {
    if (!json.has("files-version")) {
      return FilesAt.UNSPECIFIED;
    }
    String checkpoint = json.text("files-checkpoint");
    if (!checkpoint.isEmpty()) {
      RecordNames.checkName(checkpoint, json.where());
    }
    return new FilesAt(checkpoint, json.number("files-version"));
  }

  public static byte[] writeShard(SortedMap<String, List<FileEntry>> partitions)
      throws InvalidRecordException {
    ObjectNode json = RecordCodec.begin(SHARD);
    ArrayNode array = json.putArray("partitions");
    SchemaList schemas = new SchemaList();
    for (Map.Entry<String, List<FileEntry>> partition : partitions.entrySet()) {
      FileEntryJson.put(
          array.addObject().put("partition", partition.getKey()),
          "files",
          partition.getValue(),
          schemas);
    }
    SchemasJson.put(json, schemas);
    return RecordCodec.sealPacked(json);
  }

  /** The partitions of a shard, as entries with all files in {@code in}. */
  public static List<PartitionEntry> readShard(byte[] bytes, String where)
      throws InvalidRecordException {
    Fields json = new Fields(RecordCodec.open(bytes, SHARD, where), where);
    SchemaList schemas = SchemasJson.read(json);
    List<PartitionEntry> entries = new ArrayList<>();
    for (Fields partition : json.objects("partitions")) {
      entries.add(
          new PartitionEntry(
              RecordNames.checkPartition(partition.text("partition"), where),
              FileEntryJson.read(partition, "files", schemas),
              List.of(),
              List.of()));
    }
    return entries;
  }
}
