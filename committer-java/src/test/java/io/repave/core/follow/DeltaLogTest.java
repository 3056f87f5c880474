package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.testing.DeltaReplay;
import io.repave.testing.NotFollowed;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeltaLogTest {
  private static final String SCHEMA =
      "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":false,"
          + "\"metadata\":{}}]}";

  /** Follows a table whose records do not know the columns of its files. */
  static void follow(TestTable table) throws Exception {
    follow(table, table.counted);
  }

  static void follow(TestTable table, ObjectStore through) throws Exception {
    FactsReader columns = end -> FileFacts.NONE.withSchema(Schema.of(SCHEMA));
    table.open(table.process().facts(columns).ports().with(through)).follow(FollowerKind.DELTA);
  }

  static TestTable followed(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=2026-11-21", "dt=2026-11-22");
    follow(table);
    return table;
  }

  static DeltaReplay log(TestTable table) {
    return DeltaReplay.of(table.store, table.paths);
  }

  static void assertFollowed(TestTable table) throws Exception {
    DeltaReplay log = log(table);
    Follower follower = table.head().followers().get(0);
    assertThat(log.version()).isEqualTo(table.head().version() - follower.from());
    assertThat(log.isWhole()).isTrue();
    assertThat(log.live().stream().map(TestTable::writer).sorted())
        .isEqualTo(table.recorded().stream().sorted().toList());
    assertThat(follower.next()).isEqualTo(table.head().version() + 1);
  }

  @ParameterizedTest
  @EnumSource
  void everyCommitBringsTheLogToItsVersion(Readers readers) throws Exception {
    TestTable table = followed(readers);
    assertFollowed(table);
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-22");
    assertFollowed(table);
    table.commit(CommitKind.APPEND, "dt=2026-11-23");
    assertFollowed(table);
    table.commit(CommitKind.STATIC, "dt=2026-11-24");
    assertFollowed(table);
  }

  /** A stream of the log reads each file that a version adds, once more if it was there before. */
  @Test
  void aRollbackAddsOnlyTheFilesThatReturn() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    long first = table.head().version();
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-22");
    int added = log(table).all("add").size();
    int removed = log(table).all("remove").size();
    table.open().rollback(first);
    assertFollowed(table);
    assertThat(log(table).all("remove")).hasSize(removed + 1);
    assertThat(log(table).all("add")).hasSize(added + 1);
    assertThat(log(table).all("add").get(added).get("path").asText()).startsWith("dt=2026-11-22/");
  }

  @Test
  void theFirstVersionSaysWhoMayReadAndWrite() throws Exception {
    TestTable table = followed(Readers.LISTING);
    DeltaReplay log = log(table);
    assertThat(log.protocol().toString())
        .isEqualTo(
            "{\"minReaderVersion\":1,\"minWriterVersion\":7,"
                + "\"writerFeatures\":[\"appendOnly\",\"invariants\",\"repave\"]}");
    assertThat(log.metaData().get("partitionColumns").toString()).isEqualTo("[\"dt\"]");
    assertThat(log.metaData().get("schemaString").asText())
        .isEqualTo(
            "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,"
                + "\"metadata\":{}},{\"name\":\"dt\",\"type\":\"date\",\"nullable\":true,"
                + "\"metadata\":{}}]}");
  }

  @Test
  void aCommitCostsTwoRequestsMore() throws Exception {
    TestTable plain = new TestTable(Readers.SNAPSHOT);
    plain.commit(CommitKind.APPEND, "dt=2026-11-21");
    long without = requests(plain);
    TestTable table = followed(Readers.SNAPSHOT);
    assertThat(requests(table) - without).isEqualTo(2);
    assertFollowed(table);
  }

  @Test
  void aCommitOfAThousandFilesCostsTwoRequestsMore() throws Exception {
    LocalDate first = LocalDate.of(2020, 1, 1);
    String[] partitions =
        IntStream.range(0, 1_000).mapToObj(it -> "dt=" + first.plusDays(it)).toArray(String[]::new);
    TestTable plain = new TestTable(Readers.SNAPSHOT);
    plain.commit(CommitKind.APPEND, "dt=2026-11-21");
    long without = requests(plain, partitions);
    TestTable table = followed(Readers.SNAPSHOT);
    assertThat(requests(table, partitions) - without).isEqualTo(2);
    assertFollowed(table);
  }

  /** The requests of one append. */
  private static long requests(TestTable table) throws Exception {
    return requests(table, "dt=2026-11-23");
  }

  private static long requests(TestTable table, String... partitions) throws Exception {
    long before = table.requests();
    table.commit(CommitKind.APPEND, partitions);
    return table.requests() - before;
  }

  @ParameterizedTest
  @EnumSource(names = {"PLAN", "PUBLISH", "FOLLOW", "RETIRE", "FINISH"})
  void aRecoveryFollowsWhereTheDriverDied(Step death) throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.unfinished(death, CommitKind.DYNAMIC, "dt=2026-11-22");
    for (String path : log(table).live()) {
      assertThat(table.files()).as("the log names files that exist").contains(path);
    }
    table.open().recover();
    assertFollowed(table);
  }

  @Test
  void aLogThatLagsCatchesUpVersionByVersion() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    follow(table);
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    rewound(table);
    table.open().sync();
    assertFollowed(table);
    table.store.objects().keySet().stream()
        .filter(table.paths.deltaLog()::holds)
        .toList()
        .forEach(at -> delete(table, at));
    rewound(table);
    table.open().sync();
    assertFollowed(table);
  }

  private static void delete(TestTable table, Location at) {
    try {
      table.store.delete(List.of(at));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void rewound(TestTable table) throws Exception {
    String present = "\"from\":([0-9]+),\"next\":[0-9]+";
    String first = "\"from\":$1,\"next\":$1";
    table.rewrite(table.paths.head(), json -> json.replaceFirst(present, first));
  }

  @Test
  void aTableCanBeFollowedFromItsFirstCommitOn() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    // No file names its columns, so there is no log yet.
    assertThat(log(table).version()).isEqualTo(-1);
    assertThat(table.head().followers().get(0).next()).isZero();
  }

  @Test
  void itsVersionsAreThoseOfTheTableThen() throws Exception {
    TestTable table = new TestTable(Readers.LISTING);
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    table.commit(CommitKind.APPEND, "dt=1");
    commit(table, "dt=2", SCHEMA);
    assertFollowed(table);
    assertThat(log(table).version()).isEqualTo(2);
    commit(table, "dt=2", SCHEMA.replace("\"id\"", "\"note\""));
    assertFollowed(table);
    assertThat(log(table).all("metaData")).hasSize(2);
    assertThat(log(table).metaData().get("schemaString").asText())
        .contains("\"id\"", "\"note\"", "\"dt\",\"type\":\"integer\"");
    commit(table, "dt=x", SCHEMA);
    assertFollowed(table);
    assertThat(log(table).metaData().get("schemaString").asText())
        .contains("\"dt\",\"type\":\"string\"");
  }

  @Test
  void aColumnWhoseTypeChangesStopsTheFollower() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    commit(table, "dt=2026-11-21", SCHEMA.replace("long", "string"));
    assertThat(log(table).version()).isZero();
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("The column id was long and is now string.");
  }

  /** Every process reads what the first one recorded of the columns. */
  @Test
  void moreColumnsThanCanBeRecordedStopTheFollower() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    String column = SCHEMA.substring(SCHEMA.indexOf('[') + 1, SCHEMA.indexOf(']'));
    String name = "x".repeat(1_000);
    for (int job = 0; job < 6; job++) {
      String columns =
          IntStream.range(200 * job, 200 * job + 200)
              .mapToObj(number -> column.replace("id", name + number))
              .collect(Collectors.joining(","));
      commit(table, "dt=2026-11-21", SCHEMA.replace(column, columns));
    }
    assertThat(log(table).version()).isEqualTo(4);
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("would have more than 1048576 characters");
  }

  /** A commit whose file names its columns. */
  static void commit(TestTable table, String partition, String schema) throws Exception {
    commit(table, table.open(), partition, schema);
  }

  /** The same in a process that has opened the table. */
  static void commit(TestTable table, Table opened, String partition, String schema)
      throws Exception {
    WriteTransaction job = opened.begin(table.request(CommitKind.APPEND));
    FileFacts facts = FileFacts.ofRows(3).withSchema(Schema.of(schema));
    job.commit(TestTable.ledger(table.upload(job, List.of(partition), facts)));
  }

  @Test
  void aLogOfAnotherWriterIsNotTouched() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    table.foreign("_delta_log/00000000000000000000.json");
    assertThatThrownBy(() -> follow(table))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("There is a Delta log in s3://lake/sales/_delta_log already");
    assertThat(table.head().followers()).isEmpty();
  }

  @Test
  void anAdoptionTellsTheSizeOfAFileThatAnotherWriterReplaced() throws Exception {
    TestTable table = followed(Readers.LISTING);
    String name = "dt=2026-11-20/data.parquet";
    table.foreign(name);
    table.open().adopt();
    table.store.put(table.paths.root().resolve(name), ByteBuffer.wrap(new byte[] {1, 2}));
    table.open().adopt();
    assertFollowed(table);
    assertThat(log(table).add(name).get("size").asLong()).isEqualTo(2);
  }

  @Test
  void switchingItOffRemovesTheLog() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    assertThat(table.open().unfollow(FollowerKind.DELTA)).isTrue();
    assertThat(log(table).version()).isEqualTo(-1);
    assertThat(table.head().followers()).isEmpty();
    assertThat(table.records("followers/")).isZero();
    assertThat(table.open().unfollow(FollowerKind.DELTA)).isFalse();
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    follow(table);
    assertFollowed(table);
  }

  @Test
  void switchingItOffWaitsForTheCommitsThatMayStillWriteIt() throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.unfinished(Step.FOLLOW, CommitKind.DYNAMIC, "dt=2026-11-22");
    table.open().unfollow(FollowerKind.DELTA);
    assertThat(table.head().active()).isEmpty();
    assertThat(log(table).version()).isEqualTo(-1);
    follow(table);
    assertFollowed(table);
  }

  @Test
  void aFileThatASlowProcessWritesAfterTheEndIsNotInTheNextLog() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=2026-11-22");
    Location at = table.paths.deltaLog().resolve("00000000000000000001.json");
    byte[] late = table.store.objects().get(at).content();
    table.open().unfollow(FollowerKind.DELTA);
    table.store.put(at, ByteBuffer.wrap(late));
    follow(table);
    assertFollowed(table);
  }

  @Test
  void aPartitionOutsideTheTableStopsTheFollower() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "s3://annex/sales/dt=2026-11-23");
    assertThat(log(table).version()).isZero();
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("is outside the table's folder")
        .hasMessageEndingWith("repave follow <table> --off delta");
  }

  /** Spark stops at such a table: CONFLICTING_DIRECTORY_STRUCTURES. */
  @Test
  void aCopyOfAPartitionInsideTheTableStopsTheFollower() throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.foreign("backup/dt=2026-11-21/part-0.parquet");
    table.open().adopt();
    assertThat(log(table).version()).isZero();
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("'backup/dt=2026-11-21' and 'dt=2026-11-21' are not partitions in");
    table.open().unfollow(FollowerKind.DELTA);
    assertThatThrownBy(() -> follow(table)).hasMessageContaining("are not partitions in one");
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw/", "raw/2026/"})
  void aTableInOneUnnamedFolderIsFollowed(String folder) throws Exception {
    TestTable table = new TestTable(Readers.LISTING);
    table.foreign(folder + "dt=2026-11-21/part-0.parquet");
    table.open().adopt();
    follow(table);
    table.foreign(folder + "dt=2026-11-22/sub/part-0.parquet");
    table.open().adopt();
    assertFollowed(table);
  }

  @Test
  void whatADeltaLogCannotSayStopsTheFollowerAndNotTheTable() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    NotFollowed heard = new NotFollowed();
    Table process = table.open(table.process().progress(heard).ports());
    table.job(process, CommitKind.APPEND, "region=eu").commit();
    assertThat(heard.told()).hasSize(1);
    assertThat(heard.told().get(0))
        .contains("delta: The folder 'region=eu' does not have")
        .endsWith(". The next commit or `repave sync` tries again.");
    assertThat(table.head().active()).isEmpty();
    assertThat(log(table).version()).isZero();
    assertThatThrownBy(() -> table.open().sync()).hasMessageContaining("region=eu");
  }

  @Test
  void vacuumKeepsWhatALogThatLagsNames() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.job(CommitKind.APPEND, "region=eu").commit();
    table.commit(CommitKind.STATIC, "dt=2026-11-21");
    table.clock.advance(1_000_000_000L);
    table.open().vacuum(0);
    assertThat(table.files()).containsAll(log(table).live());
  }
}
