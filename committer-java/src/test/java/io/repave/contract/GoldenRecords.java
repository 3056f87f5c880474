package io.repave.contract;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.record.CheckpointJson;
import io.repave.core.record.CommitId;
import io.repave.core.record.FileEntry;
import io.repave.core.record.FollowerJson;
import io.repave.core.record.HeadJson;
import io.repave.core.record.LedgerJson;
import io.repave.core.record.ManifestJson;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.SampleRecords;
import io.repave.core.record.TokenJson;
import io.repave.core.store.Utf8Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The records of all table states that are whole, each with its type. */
final class GoldenRecords {
  /** Records that the engine writes and never reads. */
  static final Set<String> NEVER_READ = Set.of("report", "heartbeat", "refused");

  private static final Set<String> CHANGED =
      Set.of(
          "damaged-head",
          "damaged-manifest",
          "newer-format",
          "later-members",
          "wrong-member",
          "wrong-type");

  private GoldenRecords() {}

  /** One record: where it is, its type, and its bytes. */
  record Golden(String path, String type, byte[] bytes) {
    /** The record as JSON, with its checksum. */
    JsonNode json() throws IOException {
      return Contract.JSON.readTree(SampleRecords.unpacked(bytes));
    }

    @Override
    public String toString() {
      return path;
    }
  }

  static List<Golden> whole() throws IOException {
    List<Golden> records = new ArrayList<>();
    for (String state : Contract.states()) {
      if (!CHANGED.contains(state)) {
        for (Map.Entry<String, byte[]> file : RecordFiles.read(state).entrySet()) {
          String path = state + "/" + file.getKey();
          Golden untyped = new Golden(path, "refused", file.getValue());
          String type = untyped.json().path("record").asText("refused");
          records.add(new Golden(path, type, file.getValue()));
        }
      }
    }
    return records;
  }

  /** Reads a record as its type and writes it again. */
  static byte[] rewritten(Golden record) throws IOException {
    return rewritten(record, record.bytes());
  }

  /** Reads bytes in the place of a record and writes them again. */
  static byte[] rewritten(Golden record, byte[] bytes) throws IOException {
    String where = record.path();
    return switch (record.type()) {
      case "head" -> HeadJson.write(HeadJson.read(bytes, where));
      case "uploads" ->
          LedgerJson.writeIndex(
              LedgerJson.readIndex(bytes, id(record), where),
              LedgerJson.readIndexUploads(bytes, id(record), where));
      case "uploads-shard" ->
          LedgerJson.writeShard(id(record), LedgerJson.readShard(bytes, id(record), where));
      case "manifest" ->
          ManifestJson.writeIndex(
              ManifestJson.readIndex(bytes, id(record), where),
              ManifestJson.readIndexEntries(bytes, id(record), where));
      case "manifest-shard" ->
          ManifestJson.writeShard(id(record), ManifestJson.readShard(bytes, id(record), where));
      case "checkpoint" -> CheckpointJson.writeIndex(CheckpointJson.readIndex(bytes, where));
      case "checkpoint-shard" ->
          CheckpointJson.writeShard(live(CheckpointJson.readShard(bytes, where)));
      case "follower" ->
          FollowerJson.write(
              FollowerJson.read(
                  bytes,
                  record.json().get("id").asText(),
                  record.json().get("version").asLong(),
                  where));
      case "token" -> TokenJson.write(TokenJson.read(bytes, where));
      default -> throw new AssertionError("nobody reads a " + record.type());
    };
  }

  private static CommitId id(Golden record) throws IOException {
    return CommitId.parse(record.json().get("commit").asText());
  }

  private static SortedMap<String, List<FileEntry>> live(List<PartitionEntry> entries) {
    SortedMap<String, List<FileEntry>> files = new TreeMap<>(Utf8Order.KEYS);
    entries.forEach(entry -> files.put(entry.partition(), entry.in()));
    return files;
  }
}
