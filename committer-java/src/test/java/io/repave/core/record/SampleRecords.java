package io.repave.core.record;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.repave.core.ledger.ColumnBounds;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.LedgerSummary;
import io.repave.core.ledger.Schema;
import io.repave.core.ledger.Upload;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A valid record of each type, with its parser. Can write a right checksum for any other text. */
public final class SampleRecords {
  static final String COMMIT = "0b7e2a58-9f3c-4d61-8f54-2f1f6a0c9d11";
  static final CommitId ID = new CommitId(COMMIT, 1_795_219_200_000L);
  private static final LoggedCommit LOGGED =
      new LoggedCommit(ID, CommitKind.DYNAMIC, 3, "run-3", List.of("dt=1"), 1_795_219_201_000L);

  private static final Parser HEAD = bytes -> HeadJson.read(bytes, "head.json");
  private static final FileFacts FACTS =
      FileFacts.ofRows(7)
          .withSchema(Schema.of("{\"type\":\"struct\",\"fields\":[]}"))
          .withColumns(
              List.of(
                  new ColumnBounds(
                      "id", "long", Optional.of("1"), Optional.of("9"), OptionalLong.of(3)),
                  new ColumnBounds(
                      "at", "date", Optional.empty(), Optional.empty(), OptionalLong.empty())))
          .withOrdered(Optional.of("id, at desc"));

  private SampleRecords() {}

  /** Reads bytes as a record. */
  @FunctionalInterface
  public interface Parser {
    Object parse(byte[] bytes) throws IOException;
  }

  /** A record that its parser accepts. */
  public record Sample(String name, byte[] bytes, Parser parser) {
    /** The JSON without its checksum. */
    ObjectNode json() throws IOException {
      return SampleRecords.json(bytes);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Sample> all() throws IOException {
    return List.of(
        new Sample("head", head(), HEAD),
        new Sample("head with a follower", headWithFollower(), HEAD),
        new Sample(
            "follower",
            followerState(),
            bytes -> FollowerJson.read(bytes, "follower-1", 3, "follower-1-3.json")),
        new Sample("ledger", ledger(), bytes -> LedgerJson.readIndex(bytes, ID, "uploads.json.gz")),
        new Sample(
            "ledger's files",
            ledger(),
            bytes -> LedgerJson.readIndexUploads(bytes, ID, "uploads.json")),
        new Sample(
            "ledger shard",
            LedgerJson.writeShard(ID, uploads()),
            bytes -> LedgerJson.readShard(bytes, ID, "uploads-00000.json.gz")),
        new Sample("manifest", manifest(), bytes -> ManifestJson.readIndex(bytes, ID, "manifest")),
        new Sample(
            "manifest's files",
            manifest(),
            bytes -> ManifestJson.readIndexEntries(bytes, ID, "manifest")),
        new Sample(
            "manifest shard",
            ManifestJson.writeShard(ID, entries()),
            bytes -> ManifestJson.readShard(bytes, ID, "manifest")),
        new Sample("checkpoint", checkpoint(), bytes -> CheckpointJson.readIndex(bytes, "3.json")),
        new Sample(
            "checkpoint shard", shard(), bytes -> CheckpointJson.readShard(bytes, "3-0.json")),
        new Sample(
            "token",
            TokenJson.write(new UsedToken("table-1", LOGGED)),
            bytes -> TokenJson.read(bytes, "token")));
  }

  private static byte[] head() {
    ActiveCommit active =
        new ActiveCommit(
            ID, CommitKind.DYNAMIC, CommitState.PENDING, 2, 0, "run-4", 1, 2_000, List.of("dt=1"));
    return HeadJson.write(
        new Head(
            "table-1",
            3,
            0,
            1,
            0,
            "nonce-1",
            "fence-1",
            Readers.LISTING,
            List.of(active),
            List.of(LOGGED),
            2,
            "000000000002-nonce.json.gz",
            Optional.of(new WaitingCommit(ID, List.of("dt=3"))),
            List.of()));
  }

  private static byte[] headWithFollower() throws IOException {
    Head head = HeadJson.read(head(), "head.json");
    Follower follower = Follower.from(FollowerKind.DELTA, "follower-1", 2).at(4, 3);
    Follower catalog = Follower.of(FollowerKind.METASTORE, "lake.sales", "follower-2", 3);
    return HeadJson.write(head.change().followers(List.of(follower, catalog)).done());
  }

  private static byte[] followerState() {
    FollowerState.Column column = new FollowerState.Column("dt", "date");
    String schema = "{\"type\":\"struct\",\"fields\":[]}";
    return FollowerJson.write(
        new FollowerState("follower-1", 3, List.of(column), schema, List.of("id", "note")));
  }

  static List<Upload> uploads() {
    String name = "part-00000-" + COMMIT + "-1.c000.parquet";
    return List.of(
        new Upload("dt=1", name, "upload-1", 10, 10, List.of("0123456789abcdef0123456789abcdef")),
        new Upload("dt=2", name, "upload-2", 20, 10, List.of("a", "b"), FACTS));
  }

  private static byte[] ledger() throws IOException {
    LedgerSummary summary = new LedgerSummary(2, 30, new TreeSet<>(Set.of("dt=1", "dt=2")));
    return LedgerJson.writeIndex(
        new LedgerIndex(
            ID, CommitKind.DYNAMIC, List.of("dt=1"), "run-4", "app-1", "_SUCCESS", summary, 0, 0),
        uploads());
  }

  private static List<PartitionEntry> entries() {
    return List.of(
        new PartitionEntry(
            "dt=1",
            List.of(new FileEntry("part-new.parquet", 10, FACTS)),
            List.of(new FileEntry("part-old.parquet", 5)),
            List.of(new FileEntry("part-found.parquet", 7))));
  }

  private static byte[] manifest() throws IOException {
    return ManifestJson.writeIndex(
        new ManifestIndex(
            ID,
            CommitKind.DYNAMIC,
            new TreeSet<>(Set.of("dt=1")),
            List.of("dt=1"),
            new FileTotals(1, 10, OptionalLong.of(7), 1, 5, OptionalLong.empty(), 1),
            List.of("manifest-nonce-00000.json.gz"),
            List.of(new ManifestShard("dt=1", "dt=1", 2, 1)),
            "application_1_1",
            "_SUCCESS"),
        entries());
  }

  private static byte[] checkpoint() throws IOException {
    return CheckpointJson.writeIndex(
        new CheckpointIndex(
            3,
            "000000000002-nonce.json.gz",
            2,
            List.of(new CheckpointShard("3-nonce-00000.json.gz", "dt=1", "dt=2", 2, true)),
            List.of(LOGGED),
            new CheckpointIndex.FilesAt("", 3)));
  }

  private static byte[] shard() throws IOException {
    SortedMap<String, List<FileEntry>> partitions = new TreeMap<>();
    partitions.put("dt=1", List.of(new FileEntry("part-new.parquet", 10, FACTS)));
    return CheckpointJson.writeShard(partitions);
  }

  /** A record's JSON without its checksum. */
  public static ObjectNode json(byte[] bytes) throws IOException {
    ObjectNode json = (ObjectNode) new ObjectMapper().readTree(unpacked(bytes));
    json.remove("checksum");
    return json;
  }

  /** Adds the right checksum to a text that ends in a brace. */
  public static byte[] sealed(String json) {
    try {
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
      String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
      String open = json.substring(0, json.length() - 1);
      return (open + ",\"checksum\":\"" + sum + "\"}").getBytes(StandardCharsets.UTF_8);
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  public static byte[] packed(byte[] bytes) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  public static byte[] unpacked(byte[] bytes) throws IOException {
    if (bytes[0] != 0x1f) {
      return bytes;
    }
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return gzip.readAllBytes();
    }
  }
}
