package io.repave.contract;

import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.record.Head;
import io.repave.core.record.LedgerIndex;
import io.repave.core.record.LedgerJson;
import io.repave.core.record.ManifestIndex;
import io.repave.core.record.ManifestJson;
import io.repave.core.record.ManifestShard;
import io.repave.core.record.PartitionEntry;
import io.repave.core.record.SampleRecords;
import io.repave.core.store.Location;
import java.util.List;

/** States whose records were changed, damaged or lost after the engine wrote them. */
final class BrokenStates {
  private static final String SHARD = "manifest-nonce-0000%d.json.gz";

  private BrokenStates() {}

  private static Head head(GoldenTable table) throws Exception {
    return table.table().head().orElseThrow();
  }

  /** The commit of a version that the head's log names. */
  private static CommitId commit(GoldenTable table, long version) throws Exception {
    return head(table).publishedSince(version - 1).get(0).id();
  }

  private static Location manifest(GoldenTable table, long version) throws Exception {
    return table.paths.manifest(commit(table, version));
  }

  private static void two(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.commit(CommitKind.DYNAMIC, "dt=1");
  }

  /** What a later version may add to records of this format. */
  static void laterMembers(GoldenTable table) throws Exception {
    two(table);
    table.rewrite(
        table.paths.head(),
        json -> json.replace("\"version\":", "\"later\":[{\"x\":null}],\"version\":"));
    table.rewrite(
        manifest(table, 2), json -> json.replace("\"name\":", "\"later\":true,\"name\":"));
  }

  /** A manifest and a ledger whose files stand in shards. */
  static void sharded(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=1", "dt=2");
    shard(table);
  }

  /** A commit in shards whose files have schemas. */
  static void shardedSchemas(GoldenTable table) throws Exception {
    GoldenStates.addSchemas(table);
    shard(table);
  }

  /** Writes the records of the first version, which adds to two partitions, in shards. */
  private static void shard(GoldenTable table) throws Exception {
    CommitId id = commit(table, 1);
    Location at = table.paths.manifest(id);
    byte[] content = table.content(at);
    ManifestIndex index = ManifestJson.readIndex(content, id, "manifest");
    List<PartitionEntry> entries = ManifestJson.readIndexEntries(content, id, "manifest");
    List<String> names = List.of(SHARD.formatted(0), SHARD.formatted(1));
    List<ManifestShard> contents =
        entries.stream()
            .map(it -> new ManifestShard(it.partition(), it.partition(), it.in().size(), 0))
            .toList();
    FileTotals totals = index.totals();
    ManifestIndex sharded =
        new ManifestIndex(
            id,
            index.kind(),
            index.touched(),
            index.scope(),
            totals,
            names,
            contents,
            index.application(),
            index.marker());
    table.put(at, ManifestJson.writeIndex(sharded, List.of()));
    for (int shard = 0; shard < names.size(); shard++) {
      Location place = table.paths.manifestShard(id, names.get(shard));
      table.put(place, ManifestJson.writeShard(id, List.of(entries.get(shard))));
    }
    Location ledger = table.paths.uploads(id);
    LedgerIndex uploads = LedgerJson.readIndex(table.content(ledger), id, "uploads");
    table.put(
        table.paths.uploadsShard(id, 0),
        LedgerJson.writeShard(
            id, LedgerJson.readIndexUploads(table.content(ledger), id, "uploads")));
    LedgerIndex one =
        new LedgerIndex(
            id,
            uploads.kind(),
            uploads.scope(),
            uploads.token(),
            uploads.application(),
            uploads.marker(),
            uploads.summary(),
            uploads.target(),
            1);
    table.put(ledger, LedgerJson.writeIndex(one, List.of()));
  }

  static void damagedHead(GoldenTable table) throws Exception {
    two(table);
    damage(table, table.paths.head());
  }

  static void damagedManifest(GoldenTable table) throws Exception {
    two(table);
    damage(table, manifest(table, 2));
  }

  /** One bit of the text is not what it was. */
  private static void damage(GoldenTable table, Location at) throws Exception {
    byte[] content = SampleRecords.unpacked(table.content(at)).clone();
    content[content.length / 2] ^= 1;
    boolean packed = at.key().endsWith(".gz");
    table.put(at, packed ? SampleRecords.packed(content) : content);
  }

  static void missingManifest(GoldenTable table) throws Exception {
    two(table);
    table.commit(CommitKind.APPEND, "dt=3");
    table.store.delete(List.of(manifest(table, 2)));
  }

  static void missingManifestShard(GoldenTable table) throws Exception {
    sharded(table);
    CommitId id = commit(table, 1);
    table.store.delete(List.of(table.paths.manifestShard(id, SHARD.formatted(1))));
  }

  /** The head's log names the newest commits only, as that of a long life does. */
  private static void forget(GoldenTable table, long upTo) throws Exception {
    GoldenStates.listing(table);
    String log = "\"log\":[";
    table.rewrite(
        table.paths.head(),
        json -> {
          int from = json.indexOf(log) + log.length();
          return json.substring(0, from)
              + json.substring(
                  json.lastIndexOf('{', json.indexOf("\"version\":" + (upTo + 1), from)));
        });
  }

  static void missingCheckpoint(GoldenTable table) throws Exception {
    forget(table, 3);
    table.store.delete(List.of(table.paths.checkpoint(head(table).checkpoint())));
  }

  static void otherCheckpoint(GoldenTable table) throws Exception {
    forget(table, 3);
    Head head = head(table);
    table.rewrite(
        table.paths.checkpoint(head.checkpoint()),
        json -> json.replaceFirst("\"version\":" + head.checkpointVersion(), "\"version\":3"));
  }

  static void otherManifest(GoldenTable table) throws Exception {
    two(table);
    table.put(manifest(table, 2), table.content(manifest(table, 1)));
  }

  /** The manifest of an overwrite of dt=1 has become that of a rollback to these files alone. */
  static void otherKind(GoldenTable table) throws Exception {
    two(table);
    table.rewrite(manifest(table, 2), json -> json.replace("\"dynamic\"", "\"rollback\""));
  }

  static void newerFormat(GoldenTable table) throws Exception {
    two(table);
    table.rewrite(table.paths.head(), json -> json.replace("\"format\":1", "\"format\":3"));
  }

  static void wrongType(GoldenTable table) throws Exception {
    two(table);
    table.put(table.paths.head(), table.content(table.paths.report(commit(table, 1))));
  }

  static void wrongMember(GoldenTable table) throws Exception {
    two(table);
    table.rewrite(
        table.paths.head(), json -> json.replace("\"readers\":\"listing\"", "\"readers\":\"all\""));
  }
}
