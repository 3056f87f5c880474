package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.SchemaList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;

/**
 * Reads and writes a manifest as JSON: an index, which contains the files if they fit, and shards.
 */
public final class ManifestJson {
  private static final String INDEX = "manifest";
  private static final String SHARD = "manifest-shard";

  private ManifestJson() {}

  public static byte[] writeIndex(ManifestIndex index, List<PartitionEntry> inline)
      throws InvalidRecordException {
    FileTotals totals = index.totals();
    ObjectNode json =
        RecordCodec.begin(INDEX)
            .put("commit", index.id().folder())
            .put("kind", Labels.of(index.kind()))
            .put("files-in", totals.filesIn())
            .put("bytes-in", totals.bytesIn())
            .put("files-out", totals.filesOut())
            .put("bytes-out", totals.bytesOut())
            .put("files-adopted", totals.adopted());
    FactsJson.put(json, totals);
    putIfKnown(json, "application", index.application());
    putIfKnown(json, "marker", index.marker());
    FoldersJson.put(json, index.scope(), index.touched());
    index.shards().forEach(json.putArray("shards")::add);
    putContents(json, index.contents());
    putEntries(json, inline);
    return RecordCodec.sealPacked(json);
  }

  private static void putIfKnown(ObjectNode json, String name, String text) {
    if (!text.isEmpty()) {
      json.put(name, text);
    }
  }

  private static void putContents(ObjectNode json, List<ManifestShard> contents) {
    if (contents.isEmpty()) {
      return;
    }
    ArrayNode array = json.putArray("contents");
    for (ManifestShard shard : contents) {
      array
          .addObject()
          .put("first", shard.first())
          .put("last", shard.last())
          .put("added", shard.added())
          .put("removed", shard.removed());
    }
  }

  private static List<ManifestShard> contents(Fields json, int shards)
      throws InvalidRecordException {
    List<ManifestShard> contents = new ArrayList<>();
    for (Fields shard : json.optionalObjects("contents")) {
      contents.add(
          new ManifestShard(
              RecordNames.checkPartition(shard.text("first"), json.where()),
              RecordNames.checkPartition(shard.text("last"), json.where()),
              shard.number("added"),
              shard.number("removed")));
    }
    if (!contents.isEmpty() && contents.size() != shards) {
      throw json.wrong("contents");
    }
    return contents;
  }

  public static byte[] writeShard(CommitId id, List<PartitionEntry> entries)
      throws InvalidRecordException {
    ObjectNode json = RecordCodec.begin(SHARD).put("commit", id.folder());
    putEntries(json, entries);
    return RecordCodec.sealPacked(json);
  }

  public static ManifestIndex readIndex(byte[] bytes, CommitId id, String where)
      throws InvalidRecordException {
    Fields json = open(bytes, INDEX, id, where);
    SortedSet<String> touched = FoldersJson.touched(json);
    List<String> scope = FoldersJson.scope(json);
    Set<String> shards = new LinkedHashSet<>();
    for (String shard : json.texts("shards")) {
      if (!shards.add(RecordNames.checkName(shard, where))) {
        // A shard that is read twice would double its files.
        throw json.wrong("shards");
      }
    }
    FileTotals totals =
        new FileTotals(
            json.number("files-in"),
            json.number("bytes-in"),
            json.knownNumber(FactsJson.ROWS_IN),
            json.number("files-out"),
            json.number("bytes-out"),
            json.knownNumber(FactsJson.ROWS_OUT),
            json.number("files-adopted"));
    return new ManifestIndex(
        id,
        json.one("kind", CommitKind.class),
        touched,
        scope,
        totals,
        List.copyOf(shards),
        contents(json, shards.size()),
        json.optionalText("application"),
        RecordNames.checkMarker(json.optionalText("marker"), where));
  }

  /** The partitions in an index; none when they are in shards. */
  public static List<PartitionEntry> readIndexEntries(byte[] bytes, CommitId id, String where)
      throws InvalidRecordException {
    return entries(open(bytes, INDEX, id, where), id);
  }

  public static List<PartitionEntry> readShard(byte[] bytes, CommitId id, String where)
      throws InvalidRecordException {
    return entries(open(bytes, SHARD, id, where), id);
  }

  private static Fields open(byte[] bytes, String type, CommitId id, String where)
      throws InvalidRecordException {
    Fields json = new Fields(RecordCodec.open(bytes, type, where), where);
    if (!json.text("commit").equals(id.folder())) {
      throw json.wrong("commit");
    }
    return json;
  }

  private static void putEntries(ObjectNode json, List<PartitionEntry> entries) {
    ArrayNode partitions = json.putArray("partitions");
    SchemaList schemas = new SchemaList();
    for (PartitionEntry entry : entries) {
      ObjectNode partition = partitions.addObject().put("partition", entry.partition());
      FileEntryJson.put(partition, "in", entry.in(), schemas);
      FileEntryJson.put(partition, "out", entry.out(), schemas);
      FileEntryJson.put(partition, "adopted", entry.adopted(), schemas);
    }
    SchemasJson.put(json, schemas);
  }

  private static List<PartitionEntry> entries(Fields json, CommitId id)
      throws InvalidRecordException {
    SchemaList schemas = SchemasJson.read(json);
    List<PartitionEntry> entries = new ArrayList<>();
    for (Fields partition : json.objects("partitions")) {
      List<FileEntry> out = FileEntryJson.read(partition, "out", schemas);
      for (FileEntry file : out) {
        if (PartFileName.belongsTo(file.name(), id.id())) {
          throw json.wrong("out");
        }
      }
      entries.add(
          new PartitionEntry(
              RecordNames.checkPartition(partition.text("partition"), json.where()),
              FileEntryJson.read(partition, "in", schemas),
              out,
              FileEntryJson.read(partition, "adopted", schemas)));
    }
    return entries;
  }
}
