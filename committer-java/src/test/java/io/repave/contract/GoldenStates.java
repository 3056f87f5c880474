package io.repave.contract;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.WaitingCommit;
import io.repave.core.store.Location;
import io.repave.testing.CommitNames;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The table states that the engine of this version writes; each begins with an empty table. */
final class GoldenStates {
  private static final long DAY = 86_400_000;

  private GoldenStates() {}

  /** Brings a table into a state. */
  @FunctionalInterface
  interface State {
    void write(GoldenTable table) throws Exception;
  }

  static Map<String, State> all() {
    Map<String, State> states = new TreeMap<>();
    states.put("never-written", table -> {});
    states.put("listing", GoldenStates::listing);
    states.put("snapshot", GoldenStates::snapshot);
    states.put("rows", GoldenStates::rows);
    states.put("schemas", GoldenStates::schemas);
    states.put("ordered", GoldenStates::ordered);
    states.put("first-commit-pending", GoldenStates::firstCommitPending);
    states.put("unfinished-reserved", table -> unfinished(table, Step.PLAN));
    states.put("unfinished-planned", table -> unfinished(table, Step.COMPLETE_UPLOADS));
    states.put("unfinished-cleaning", table -> unfinished(table, Step.RETIRE));
    states.put("unfinished-reverting", GoldenStates::reverting);
    states.put("unfinished-two", GoldenStates::twoUnfinished);
    states.put("waiting", GoldenStates::waiting);
    states.put("reverted", GoldenStates::reverted);
    states.put("followed", GoldenStates::followed);
    states.put("followed-behind", GoldenStates::followedBehind);
    states.put("followed-twice", GoldenStates::followedTwice);
    states.put("in-catalog", GoldenStates::inCatalog);
    states.put("expired-history", GoldenStates::expired);
    states.put("expired-history-snapshot", table -> expired(table.readBySnapshot()));
    states.put("followed-bounds", GoldenStates::followedBounds);
    states.put("outside-partitions", GoldenStates::outside);
    states.put("escaped-partitions", GoldenStates::escaped);
    states.put("later-members", BrokenStates::laterMembers);
    states.put("sharded", BrokenStates::sharded);
    states.put("sharded-schemas", BrokenStates::shardedSchemas);
    states.put("damaged-head", BrokenStates::damagedHead);
    states.put("damaged-manifest", BrokenStates::damagedManifest);
    states.put("missing-manifest", BrokenStates::missingManifest);
    states.put("missing-manifest-shard", BrokenStates::missingManifestShard);
    states.put("missing-checkpoint", BrokenStates::missingCheckpoint);
    states.put("other-checkpoint", BrokenStates::otherCheckpoint);
    states.put("other-manifest", BrokenStates::otherManifest);
    states.put("other-kind", BrokenStates::otherKind);
    states.put("newer-format", BrokenStates::newerFormat);
    states.put("wrong-type", BrokenStates::wrongType);
    states.put("wrong-member", BrokenStates::wrongMember);
    return states;
  }

  /** A commit that others overtook asks them to hold back. */
  private static void waiting(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    CommitId id = new CommitId(CommitNames.id("commit-900001"), table.clock.wallMillis());
    WaitingCommit waiting = new WaitingCommit(id, List.of("dt=1"));
    Head head =
        HeadJson.read(table.store.read(table.paths.head(), 1 << 20).orElseThrow().content(), "");
    Head changed = head.change().waiting(Optional.of(waiting)).done();
    table.store.put(table.paths.head(), ByteBuffer.wrap(HeadJson.write(changed)));
  }

  static void listing(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.commitWithToken(CommitKind.DYNAMIC, "run-2", "dt=1");
    table.commit(CommitKind.STATIC, "dt=1", "dt=3", "");
    table.commit(CommitKind.APPEND, "dt=4");
    table.commit(CommitKind.DYNAMIC, "dt=4");
  }

  static void snapshot(GoldenTable table) throws Exception {
    table.readBySnapshot();
    table.put("dt=0/part-of-another-engine.parquet", new byte[] {1});
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.commitWithToken(CommitKind.DYNAMIC, "run-3", "dt=1");
    table.commit(CommitKind.APPEND, "dt=3");
    table.table().rollback(2);
    table.commit(CommitKind.STATIC, "dt=1");
  }

  /** Some files have facts. The rows of the last commit's old files are partly unknown. */
  private static void rows(GoldenTable table) throws Exception {
    table.readBySnapshot();
    table.commitRows(CommitKind.APPEND, new TreeMap<>(Map.of("dt=1", 10L, "dt=2", 0L)));
    table.commitRows(CommitKind.DYNAMIC, new TreeMap<>(Map.of("dt=1", 1L << 40)));
    table.commit(CommitKind.APPEND, "dt=3");
    table.commitRows(CommitKind.DYNAMIC, new TreeMap<>(Map.of("dt=1", 3L)));
    table.commitRows(CommitKind.STATIC, new TreeMap<>(Map.of("dt=2", 2L)));
  }

  /** Files in order, files in another order, and files of which nothing is known. */
  private static void ordered(GoldenTable table) throws Exception {
    table.readBySnapshot();
    table.commitOrdered(CommitKind.APPEND, new TreeMap<>(Map.of("dt=1", "id", "dt=2", "id")));
    table.commit(CommitKind.APPEND, "dt=2");
    table.commitOrdered(
        CommitKind.DYNAMIC, new TreeMap<>(Map.of("dt=1", "`a b` desc nulls first, id")));
  }

  /** A Delta log that is at the newest version. */
  private static void followed(GoldenTable table) throws Exception {
    table.readBySnapshot().followedBy(FollowerKind.DELTA);
    String schema = "{\"type\":\"struct\",\"fields\":[]}";
    table.commitSchemas(CommitKind.APPEND, new TreeMap<>(Map.of("dt=1", schema, "dt=2", schema)));
    table.commit(CommitKind.DYNAMIC, "dt=1");
  }

  /** A Delta log whose files have bounds of a column. */
  private static void followedBounds(GoldenTable table) throws Exception {
    table.readBySnapshot().followedBy(FollowerKind.DELTA);
    table.commitSchemas(CommitKind.APPEND, new TreeMap<>(Map.of("dt=1", struct(Stream.of("id")))));
  }

  /** Symlink manifests, and a Delta log that has not begun because no file tells its columns. */
  private static void followedTwice(GoldenTable table) throws Exception {
    table.readBySnapshot().followedBy(FollowerKind.SYMLINK, FollowerKind.DELTA);
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.commit(CommitKind.DYNAMIC, "dt=1");
  }

  /** A Delta log that is one version behind, and is being switched off. */
  private static void followedBehind(GoldenTable table) throws Exception {
    followed(table);
    table.commit(CommitKind.APPEND, "region=eu");
    Head head =
        HeadJson.read(table.store.read(table.paths.head(), 1 << 20).orElseThrow().content(), "");
    List<Follower> ending = head.followers().stream().map(Follower::end).toList();
    Head changed = head.change().followers(ending).done();
    table.store.put(table.paths.head(), ByteBuffer.wrap(HeadJson.write(changed)));
  }

  /** A table that a catalog follows, which is a version behind. */
  private static void inCatalog(GoldenTable table) throws Exception {
    table.readBySnapshot();
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.table().followBy(FollowerKind.METASTORE, "lake.sales");
    Head head = table.table().head().orElseThrow();
    String id = head.follower(FollowerKind.METASTORE).orElseThrow().id();
    table.table().moved(FollowerKind.METASTORE, "lake.sales", id, 1);
    table.commit(CommitKind.DYNAMIC, "dt=1");
  }

  /** Files of two schemas and of none, one schema longer than a text in a record may be. */
  private static void schemas(GoldenTable table) throws Exception {
    table.readBySnapshot();
    addSchemas(table);
    table.commit(CommitKind.APPEND, "dt=3");
    table.commitSchemas(CommitKind.DYNAMIC, new TreeMap<>(Map.of("dt=2", struct(Stream.of("id")))));
  }

  static void addSchemas(GoldenTable table) throws Exception {
    String wide = struct(IntStream.range(0, 150).mapToObj(it -> "column-" + it));
    table.commitSchemas(
        CommitKind.APPEND, new TreeMap<>(Map.of("dt=1", struct(Stream.of("id")), "dt=2", wide)));
  }

  private static String struct(Stream<String> names) {
    return names
        .map(it -> "{\"name\":\"" + it + "\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}")
        .collect(Collectors.joining(",", "{\"type\":\"struct\",\"fields\":[", "]}"));
  }

  private static void firstCommitPending(GoldenTable table) throws Exception {
    table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1");
  }

  /** Its process lived for some heartbeats. */
  private static void unfinished(GoldenTable table, Step death) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    table.configure(it -> it.heartbeatMillis(2_000));
    WriteTransaction job =
        table.begin(
            (step, done, total) -> {
              if (step == death) {
                table.clock.advance(5_000);
                throw ProcessDied.at(step);
              }
            },
            CommitKind.DYNAMIC);
    table.die(job, "dt=1");
  }

  /** An upload is lost, and the process dies while it waits for late requests. */
  private static void reverting(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = table.begin((step, done, total) -> {}, CommitKind.APPEND);
    List<Upload> uploads = table.upload(job, "dt=1", "dt=2");
    lose(table, uploads.get(1));
    long drained = table.clock.tickMillis() + table.settings().drainMillis();
    table.clock.onAdvance(
        now -> {
          if (now >= drained) {
            throw ProcessDied.at("its revert");
          }
        });
    try {
      job.commit(GoldenTable.ledger(uploads));
    } catch (ProcessDied end) {
      return;
    }
    throw new AssertionError("nobody died");
  }

  private static void reverted(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = table.begin((step, done, total) -> {}, CommitKind.APPEND);
    List<Upload> uploads = table.upload(job, "dt=1", "dt=2");
    lose(table, uploads.get(1));
    try {
      job.commit(GoldenTable.ledger(uploads));
    } catch (CommitFailedException told) {
      table.commit(CommitKind.APPEND, "dt=3");
      return;
    }
    throw new AssertionError("the commit was not reverted");
  }

  private static void lose(GoldenTable table, Upload upload) throws Exception {
    Location at = table.paths.file(upload.partition(), upload.name());
    table.store.abort(at, upload.uploadId());
  }

  private static void twoUnfinished(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction first = table.begin(TestTable.death(Step.COMPLETE_UPLOADS), CommitKind.APPEND);
    WriteTransaction second = table.begin(TestTable.death(Step.PLAN), CommitKind.APPEND);
    table.die(first, "dt=1");
    table.clock.advance(500);
    table.die(second, "dt=2");
  }

  private static void expired(GoldenTable table) throws Exception {
    table.configure(it -> it.historyRetentionMillis(3 * DAY));
    for (int day = 1; day <= 8; day++) {
      table.clock.advance(DAY);
      table.commitWithToken(CommitKind.DYNAMIC, "run-" + day, "dt=" + day % 3);
    }
    table.table().vacuum(DAY);
  }

  private static void outside(GoldenTable table) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "s3://cold/sales/dt=8", "s3://lake/archive/dt=9");
    table.commit(CommitKind.DYNAMIC, "s3://cold/sales/dt=8");
  }

  /** UTF-8 orders the last two partitions the other way round than UTF-16 does. */
  private static void escaped(GoldenTable table) throws Exception {
    table.commit(
        CommitKind.APPEND,
        "dt=2026-11-21 03%3A15%3A00/name=__HIVE_DEFAULT_PARTITION__",
        "dt=a%2Fb/name=quote\"back\\slash",
        "dt=Zürich/name=%25",
        "dt=\uFB00",
        "dt=\uD83D\uDE00");
    table.commit(CommitKind.DYNAMIC, "dt=\uFB00", "dt=\uD83D\uDE00");
  }
}
