package io.repave.core.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.error.FormatErrors;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.PartFileName;
import io.repave.core.ledger.SchemaList;
import io.repave.core.ledger.Upload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * Reads and writes a ledger as JSON: an index, which contains the files if they fit, and shards.
 */
public final class LedgerJson {
  private static final String INDEX = "uploads";
  private static final String SHARD = "uploads-shard";

  private static final int SHARDS_MAX = 100_000;

  /**
   * The index of the manifest repeats the folders of a ledger's index, and names its own shards. It
   * is written after the decision, when it is too late to refuse it.
   */
  private static final int INDEX_PERCENT = 75;

  private LedgerJson() {}

  /** Writes the index; {@code inline} are the files that it contains itself, if any. */
  public static byte[] writeIndex(LedgerIndex index, List<Upload> inline)
      throws InvalidRecordException {
    ObjectNode json =
        RecordCodec.begin(INDEX)
            .put("commit", index.id().folder())
            .put("kind", Labels.of(index.kind()))
            .put("token", index.token())
            .put("application", index.application())
            .put("marker", index.marker())
            .put("files", index.summary().files())
            .put("bytes", index.summary().bytes())
            .put("target", index.target())
            .put("shards", index.shards());
    FoldersJson.put(json, index.scope(), index.summary().partitions());
    putUploads(json, inline);
    return RecordCodec.sealPacked(json, INDEX_PERCENT);
  }

  public static byte[] writeShard(CommitId id, List<Upload> uploads) throws InvalidRecordException {
    ObjectNode json = RecordCodec.begin(SHARD).put("commit", id.folder());
    putUploads(json, uploads);
    return RecordCodec.sealPacked(json);
  }

  public static LedgerIndex readIndex(byte[] bytes, CommitId id, String where)
      throws InvalidRecordException {
    Fields json = new Fields(RecordCodec.open(bytes, INDEX, where), where);
    requireCommit(json, id);
    SortedSet<String> touched = FoldersJson.touched(json);
    List<String> scope = FoldersJson.scope(json);
    long shards = json.number("shards");
    if (shards > SHARDS_MAX) {
      throw json.wrong("shards");
    }
    String marker = RecordNames.checkMarker(json.text("marker"), where);
    return new LedgerIndex(
        id,
        json.one("kind", CommitKind.class),
        scope,
        json.text("token"),
        json.optionalText("application"),
        marker,
        new LedgerSummary(json.number("files"), json.number("bytes"), touched),
        json.number("target"),
        (int) shards);
  }

  /** The files in an index; none when they are in shards. */
  public static List<Upload> readIndexUploads(byte[] bytes, CommitId id, String where)
      throws InvalidRecordException {
    return uploads(new Fields(RecordCodec.open(bytes, INDEX, where), where), id);
  }

  public static List<Upload> readShard(byte[] bytes, CommitId id, String where)
      throws InvalidRecordException {
    return uploads(new Fields(RecordCodec.open(bytes, SHARD, where), where), id);
  }

  private static List<Upload> uploads(Fields json, CommitId id) throws InvalidRecordException {
    requireCommit(json, id);
    List<String> partitions = new ArrayList<>();
    for (String partition : json.texts("partitions")) {
      partitions.add(RecordNames.checkPartition(partition, json.where()));
    }
    SchemaList schemas = SchemasJson.read(json);
    List<Upload> uploads = new ArrayList<>();
    for (Fields upload : json.objects("uploads")) {
      uploads.add(readUpload(upload, partitions, schemas, id));
    }
    return uploads;
  }

  /** Refuses a file that this commit cannot have written. */
  public static Upload check(Upload upload, CommitId id, String where)
      throws InvalidRecordException {
    RecordNames.checkPartition(upload.partition(), where);
    String folder = PartFileName.folderOf(id.id()) + "/";
    boolean own = upload.name().startsWith(folder);
    RecordNames.checkName(own ? upload.name().substring(folder.length()) : upload.name(), where);
    if (!PartFileName.belongsTo(upload.name(), id.id())) {
      throw FormatErrors.fileOfAnotherCommit(where, id.id());
    }
    return upload;
  }

  private static void putUploads(ObjectNode json, List<Upload> uploads) {
    Map<String, Integer> partitions = new LinkedHashMap<>();
    SchemaList schemas = new SchemaList();
    ArrayNode array = json.putArray("uploads");
    for (Upload upload : uploads) {
      int partition = partitions.computeIfAbsent(upload.partition(), p -> partitions.size());
      ObjectNode file =
          array
              .addObject()
              .put("partition", partition)
              .put("name", upload.name())
              .put("bytes", upload.bytes())
              .put("part-bytes", upload.partBytes())
              .put("upload", upload.uploadId());
      upload.etags().forEach(file.putArray("etags")::add);
      FactsJson.put(file, upload.facts(), schemas);
    }
    partitions.keySet().forEach(json.putArray("partitions")::add);
    SchemasJson.put(json, schemas);
  }

  private static Upload readUpload(
      Fields json, List<String> partitions, SchemaList schemas, CommitId id)
      throws InvalidRecordException {
    long partition = json.number("partition");
    if (partition >= partitions.size()) {
      throw json.wrong("partition");
    }
    Upload upload =
        new Upload(
            partitions.get((int) partition),
            json.text("name"),
            json.text("upload"),
            json.number("bytes"),
            json.number("part-bytes"),
            json.texts("etags"),
            FactsJson.read(json, schemas));
    return check(upload, id, json.where());
  }

  private static void requireCommit(Fields json, CommitId id) throws InvalidRecordException {
    if (!json.text("commit").equals(id.folder())) {
      throw json.wrong("commit");
    }
  }
}
