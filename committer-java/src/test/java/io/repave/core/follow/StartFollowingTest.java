package io.repave.core.follow;

import static io.repave.core.follow.DeltaLogTest.assertFollowed;
import static io.repave.core.follow.DeltaLogTest.follow;
import static io.repave.core.follow.DeltaLogTest.followed;
import static io.repave.core.follow.DeltaLogTest.log;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.ProcessDied;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A Delta log is switched on beside other processes, at each of its calls. */
class StartFollowingTest {
  @ParameterizedTest
  @EnumSource(FollowerKind.class)
  void whereThereIsNoTableNothingIsSwitchedOff(FollowerKind kind) {
    assertThatThrownBy(() -> new TestTable().open().unfollow(kind))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(
            "Repave has not committed to s3://lake/sales: it has no versions. Check the path.");
  }

  @Test
  void aDeltaLogOfFilesThatDoNotTellTheirColumnsIsRefused() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> table.open().follow(FollowerKind.DELTA))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("has no file that names its columns");
    assertThat(table.head().followers()).isEmpty();
  }

  @Test
  void unfinishedCopiesCountAsFilesThatReadersOfACatalogWouldShow() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1");
    table.foreign("dt=1/old.parquet._COPYING_");
    assertThatThrownBy(() -> table.open().followBy(FollowerKind.METASTORE, "lake.sales"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("have 1 data files that do not belong to version");
  }

  /** Another process starts the same follower, and writes to its log, before each call. */
  @ParameterizedTest
  @MethodSource("calls")
  void startsBesideEachOtherDoNotDeleteTheNewLog(int number) throws Exception {
    TestTable table = withLateFile();
    int[] calls = {0};
    OnceBefore other =
        new OnceBefore((call, at) -> ++calls[0] == number, () -> startAndWrite(table));
    try {
      follow(table, InterceptingStore.before(table.counted, other));
    } catch (InvalidConfigException refused) {
      assertThat(refused).hasMessageContaining("is being switched off");
    }
    follow(table);
    table.commit(CommitKind.APPEND, "dt=2026-11-24");
    assertFollowed(table);
    assertOneFollowersStates(table);
  }

  @ParameterizedTest
  @MethodSource("calls")
  void aStartThatDiesBesideALateFileCanBeTakenBack(int number) throws Exception {
    TestTable table = withLateFile();
    try {
      follow(table, table.dyingBefore(number));
    } catch (ProcessDied died) {
      table.open().unfollow(FollowerKind.DELTA);
    }
    follow(table);
    table.commit(CommitKind.APPEND, "dt=2026-11-24");
    assertFollowed(table);
  }

  /** Without the later version, the log would first name files that its overwrite has deleted. */
  @ParameterizedTest
  @MethodSource("calls")
  void aStartBesideAnOverwriteBeginsWithTheVersionOfTheHead(int number) throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    int[] calls = {0};
    OnceBefore overwrite =
        new OnceBefore(
            (call, at) -> ++calls[0] == number,
            () -> table.commit(CommitKind.DYNAMIC, "dt=2026-11-21"));
    InterceptingStore.Hook check =
        (call, at) -> {
          overwrite.at(call, at);
          assertThat(table.files()).as("before call %d", calls[0]).containsAll(log(table).live());
        };
    follow(table, InterceptingStore.before(table.counted, check));
    assertFollowed(table);
    assertOneFollowersStates(table);
  }

  /** A catalog keeps a partition in a folder of its own, and a commit has written to it. */
  @ParameterizedTest
  @EnumSource
  void aPartitionOutsideTheTableIsRefusedAndLeavesNothing(Readers readers) throws Exception {
    String outside = "s3://annex/sales/dt=2026-11-22";
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=2026-11-21", outside);
    assertThatThrownBy(() -> follow(table))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessage(
            "The partition %s is outside the table's folder, and a Delta log names files inside it"
                + " only. A Delta log cannot describe such a table. If it has one, switch it off:"
                + " repave follow <table> --off delta",
            outside);
    assertThat(table.head().followers()).isEmpty();
    assertThat(table.store.objects().keySet())
        .map(Location::key)
        .noneMatch(key -> key.contains("_delta_log/") || key.contains("/followers/"));
    CommitRequest all = table.request(CommitKind.STATIC);
    List<String> scope = List.of("", outside);
    table.commit(
        new CommitRequest(all.commit(), all.kind(), scope, "", all.marker()),
        List.of("dt=2026-11-21"));
    follow(table);
    assertFollowed(table);
  }

  /** So many files are not late ones of a slow process; nobody reads who wrote them. */
  @Test
  void aLogThatWasCopiedWithItsTableIsRefused() throws Exception {
    TestTable table = followed(Readers.LISTING);
    for (int day = 11; day < 20; day++) {
      table.commit(CommitKind.APPEND, "dt=2026-11-" + day);
    }
    TestTable copy = new TestTable(table, new Location("lake", "copy"), Readers.LISTING, 100);
    for (Location at : List.copyOf(table.store.objects().keySet())) {
      if (!table.paths.records().holds(at)) {
        Location to = copy.paths.root().resolve(table.paths.root().relative(at));
        copy.store.put(to, ByteBuffer.wrap(table.content(at)));
      }
    }
    assertThatThrownBy(() -> follow(copy))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(
            "There is a Delta log in s3://lake/copy/_delta_log already. Nothing was changed. If the"
                + " folder is a Delta table, write to it with Delta. If an earlier table left the"
                + " log, or it was copied with a table, delete it and run the command again.");
    assertThat(copy.head().followers()).isEmpty();
  }

  /** As for a file in an archive class, which nobody can read until it is restored. */
  @Test
  void aFileThatCannotBeReadAddsNoColumns() throws Exception {
    TestTable table = ofTwoFiles();
    follow(table, refusing(table, Kind.INVALID, "dt=2026-11-21/"));
    table.commit(CommitKind.APPEND, "dt=2026-11-24");
    assertFollowed(table);
    assertThat(log(table).metaData().get("schemaString").asText()).contains("\"id\"");
  }

  /** Then the cause may be in the request, such as an encryption key that is not configured. */
  @Test
  void aStartFailsWhenNoFileCanBeRead() throws Exception {
    TestTable table = ofTwoFiles();
    assertThatThrownBy(() -> follow(table, refusing(table, Kind.INVALID, "dt=")))
        .isInstanceOf(StoreException.class)
        .hasMessage("refused");
    assertThat(table.head().followers()).isEmpty();
  }

  @Test
  void aStartFailsWhereThePermissionToReadAFileIsMissing() throws Exception {
    TestTable table = ofTwoFiles();
    assertThatThrownBy(() -> follow(table, refusing(table, Kind.DENIED, "dt=2026-11-21/")))
        .isInstanceOf(StoreException.class)
        .hasMessage("refused");
    assertThat(table.head().followers()).isEmpty();
  }

  /** Also that of a table which is a whole bucket. */
  @ParameterizedTest
  @ValueSource(strings = {"sales", ""})
  void aManifestThatASlowProcessWroteAfterTheEndIsDeleted(String folder) throws Exception {
    TestTable table = new TestTable(new Location("lake", folder));
    table.commit(CommitKind.APPEND, "dt=1");
    table.open().follow(FollowerKind.SYMLINK);
    Location at = table.paths.symlinks("dt=1").resolve("manifest");
    byte[] late = table.content(at);
    table.open().unfollow(FollowerKind.SYMLINK);
    table.store.put(at, ByteBuffer.wrap(late));
    table.open().follow(FollowerKind.SYMLINK);
    assertThat(SymlinkReplay.live(table.store, table.paths)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aSyncTellsOfAFollowerWhoseSwitchOffHasNotEnded(Readers readers) throws Exception {
    TestTable table = followed(readers);
    new StopFollowing(table.context()).begin(FollowerKind.DELTA);
    table.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> table.open().sync())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("--off delta");
    table.open().unfollow(FollowerKind.DELTA);
    assertThat(table.open().sync()).isEmpty();
  }

  static IntStream calls() {
    return IntStream.rangeClosed(1, 32);
  }

  private static TestTable ofTwoFiles() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=2026-11-21", "dt=2026-11-22");
    return table;
  }

  /** A store that refuses to read parts of files in some of the table's folders. */
  private static ObjectStore refusing(TestTable table, Kind kind, String folders) {
    String prefix = table.paths.root().prefix() + folders;
    return new InterceptingStore(table.counted) {
      @Override
      public Optional<byte[]> readRange(Location at, long from, int length) throws StoreException {
        if (at.key().startsWith(prefix)) {
          throw new StoreException(kind, "refused");
        }
        return super.readRange(at, from, length);
      }
    };
  }

  /** The late file has the name that the first commit of the next log needs. */
  private static TestTable withLateFile() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=2026-11-22");
    Location at = table.paths.deltaLog().resolve("00000000000000000001.json");
    byte[] late = table.store.objects().get(at).content();
    table.open().unfollow(FollowerKind.DELTA);
    table.store.put(at, ByteBuffer.wrap(late));
    return table;
  }

  /** Nobody would delete the states of a start that another process overtook. */
  private static void assertOneFollowersStates(TestTable table) throws Exception {
    String id = table.head().follower(FollowerKind.DELTA).orElseThrow().id();
    String states = table.paths.followers().prefix();
    assertThat(table.store.objects().keySet())
        .map(Location::key)
        .filteredOn(key -> key.startsWith(states))
        .isNotEmpty()
        .allMatch(key -> key.startsWith(states + id));
  }

  private static void startAndWrite(TestTable table) throws Exception {
    try {
      follow(table);
      table.commit(CommitKind.APPEND, "dt=2026-11-23");
    } catch (InvalidConfigException refused) {
      assertThat(refused).hasMessageContaining("is being switched off");
    }
  }
}
