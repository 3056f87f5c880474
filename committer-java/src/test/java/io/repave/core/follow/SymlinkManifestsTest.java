package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.DeniedManifests;
import io.repave.testing.HeldObject;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SymlinkManifestsTest {
  private static TestTable followed(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=2026-11-21", "dt=2026-11-22");
    table.open().follow(FollowerKind.SYMLINK);
    return table;
  }

  private static List<String> live(TestTable table) {
    return SymlinkReplay.live(table.store, table.paths);
  }

  private static Map<String, List<String>> byPartition(TestTable table) {
    return SymlinkReplay.byPartition(table.store, table.paths);
  }

  private static Location file(TestTable table, String name) {
    return table.paths.pointer(FollowerKind.SYMLINK).resolve(name);
  }

  private static void assertFollowed(TestTable table) throws Exception {
    assertThat(live(table).stream().map(TestTable::writer).sorted())
        .isEqualTo(table.recorded().stream().sorted().toList());
    Follower follower = table.head().follower(FollowerKind.SYMLINK).orElseThrow();
    assertThat(follower.next()).isEqualTo(table.head().version() + 1);
  }

  @ParameterizedTest
  @EnumSource
  void everyCommitBringsTheManifestsToItsVersion(Readers readers) throws Exception {
    TestTable table = followed(readers);
    assertFollowed(table);
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-22");
    assertFollowed(table);
    table.commit(CommitKind.APPEND, "dt=2026-11-22", "dt=2026-11-23");
    assertFollowed(table);
    table.commit(CommitKind.STATIC, "dt=2026-11-24");
    assertFollowed(table);
    assertThat(byPartition(table).get("dt=2026-11-21")).isEmpty();
  }

  @Test
  void aManifestNamesOneFileInEachLineAtTheFolderOfItsPartition() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "", "dt=a%3Ab/h=1", "dt=a%3Ab/h=1");
    table.open().follow(FollowerKind.SYMLINK);
    HeldObject manifest = table.store.objects().get(file(table, "dt=a%3Ab/h=1/manifest"));
    assertThat(SymlinkReplay.text(manifest).lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith(table.paths.root() + "/dt=a%3Ab/h=1/part-"));
    assertThat(byPartition(table).get("")).hasSize(1);
    assertFollowed(table);
  }

  @Test
  void aTableCanBeFollowedFromItsFirstCommitOnByBothFollowers() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    List<FollowerKind> both = List.of(FollowerKind.DELTA, FollowerKind.SYMLINK);
    table.configure(it -> it.followers(both));
    table.commit(CommitKind.APPEND, "dt=1");
    assertFollowed(table);
    assertThat(table.head().followers()).extracting(Follower::kind).isEqualTo(both);
  }

  /** The folder may have files that were there before the table's first commit. */
  @ParameterizedTest
  @EnumSource
  void aTableThatIsFollowedFromItsFirstCommitOnHasTheFilesFromBefore(Readers readers)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.followers(List.of(FollowerKind.SYMLINK)));
    table.foreign("dt=1/old.parquet");
    table.commit(CommitKind.APPEND, "dt=2");
    assertFollowed(table);
    assertThat(live(table)).contains("dt=1/old.parquet");
  }

  @Test
  void anOverwriteOfThousandPartitionsCostsOnePutForEach() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    String[] partitions =
        IntStream.range(0, 1_000).mapToObj("h=%03d"::formatted).toArray(String[]::new);
    table.commit(CommitKind.APPEND, partitions);
    table.open().follow(FollowerKind.SYMLINK);
    TestTable plain = new TestTable(Readers.SNAPSHOT);
    plain.commit(CommitKind.APPEND, partitions);
    long without = requests(plain, CommitKind.DYNAMIC, partitions);
    // Besides the manifests: one listing, and one read of the head.
    assertThat(requests(table, CommitKind.DYNAMIC, partitions) - without).isEqualTo(1_000 + 2);
    assertFollowed(table);
  }

  @Test
  void onlyPartitionsOfTheCommitAreWritten() throws Exception {
    TestTable plain = new TestTable(Readers.SNAPSHOT);
    plain.commit(CommitKind.APPEND, "dt=2026-11-21");
    long without = requests(plain, CommitKind.APPEND, "dt=2026-11-22");
    TestTable table = followed(Readers.SNAPSHOT);
    // One PUT, the listing, the head, and the manifests of three versions for the live files.
    assertThat(requests(table, CommitKind.APPEND, "dt=2026-11-22") - without).isEqualTo(6);
    assertFollowed(table);
  }

  private static long requests(TestTable table, CommitKind kind, String... partitions)
      throws Exception {
    long before = table.requests();
    table.commit(kind, partitions);
    return table.requests() - before;
  }

  @ParameterizedTest
  @EnumSource(names = {"PLAN", "PUBLISH", "FOLLOW", "RETIRE", "FINISH"})
  void aRecoveryFollowsWhereTheDriverDied(Step death) throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.unfinished(death, CommitKind.DYNAMIC, "dt=2026-11-22");
    assertThat(table.files()).as("the manifests name files that exist").containsAll(live(table));
    table.open().recover();
    assertFollowed(table);
  }

  @Test
  void aRollbackBringsTheOldListsBackInNewFiles() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    long restored = table.head().version();
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-22");
    table.open().rollback(restored);
    assertFollowed(table);
    Map<Location, HeldObject> files = SymlinkReplay.files(table.store, table.paths);
    assertThat(files.keySet()).contains(file(table, "dt=2026-11-22/manifest-1"));
    assertThat(files.get(file(table, "dt=2026-11-22/manifest")).content()).isEmpty();
    assertThat(files.keySet()).doesNotContain(file(table, "dt=2026-11-21/manifest-1"));
    table.commit(CommitKind.APPEND, "dt=2026-11-22");
    table.open().rollback(restored);
    assertFollowed(table);
  }

  /** The write of a driver that slept, of a state that a rollback seems to bring back. */
  @ParameterizedTest
  @EnumSource(names = {"DYNAMIC", "STATIC", "APPEND"})
  void aLateWriteCannotPutAnOldListOverARolledBackOne(CommitKind kind) throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    long restored = table.head().version();
    SleepingWrites sleeping = new SleepingWrites(table);
    Table slow = table.through(sleeping);
    try {
      table.job(slow, kind, "dt=2026-11-22").commit();
    } catch (ProcessDied died) {
      // It sleeps before its first write of a manifest; others finish its commit.
    }
    table.open().recover();
    table.open().rollback(restored);
    assertFollowed(table);
    Map<String, List<String>> before = byPartition(table);
    assertThat(sleeping.wakeUp()).as("late writes").isPositive();
    assertThat(byPartition(table)).isEqualTo(before);
  }

  /** The same where the partition is empty again. */
  @Test
  void aLateWriteCannotFillAPartitionThatWasEmptiedAgain() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.commit(CommitKind.STATIC, "dt=2026-11-21");
    SleepingWrites sleeping = new SleepingWrites(table);
    try {
      table.job(table.through(sleeping), CommitKind.APPEND, "dt=2026-11-22").commit();
    } catch (ProcessDied died) {
      // Others finish its commit.
    }
    table.open().recover();
    table.commit(CommitKind.STATIC, "dt=2026-11-21");
    assertFollowed(table);
    assertThat(sleeping.wakeUp()).isPositive();
    assertFollowed(table);
  }

  /** Keeps conditional writes of manifests back, and ends the process that sends them. */
  private static final class SleepingWrites extends InterceptingStore {
    private final TestTable table;
    private final List<Call<?>> kept = new ArrayList<>();

    SleepingWrites(TestTable table) {
      super(table.store);
      this.table = table;
    }

    @Override
    protected <T> T intercept(StoreCall call, Location at, Call<T> run) throws StoreException {
      boolean manifest = table.paths.pointer(FollowerKind.SYMLINK).holds(at);
      if (manifest && (call == StoreCall.PUT_IF_MATCH || call == StoreCall.PUT_IF_ABSENT)) {
        kept.add(run);
        throw ProcessDied.at("a write of a manifest");
      }
      return run.run();
    }

    /** Sends the kept writes; returns how many there were. */
    int wakeUp() {
      for (Call<?> call : kept) {
        try {
          call.run();
        } catch (StoreException refused) {
          // As it should be.
        }
      }
      return kept.size();
    }
  }

  @Test
  void manifestsThatLagCatchUp() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    String present = "\"next\":[0-9]+";
    long next = table.head().followers().get(0).next();
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    table.commit(CommitKind.STATIC, "dt=2026-11-22");
    table.rewrite(table.paths.head(), json -> json.replaceFirst(present, "\"next\":" + next));
    table.open().sync();
    assertFollowed(table);
  }

  /** A process that died between the two files would leave each row of the partition twice. */
  @Test
  void aListThatIsThereIsNotWrittenBesideItself() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    Map<String, List<String>> before = byPartition(table);
    for (int i = 0; i < 4; i++) {
      long begun = table.head().version();
      table.rewrite(
          table.paths.head(), json -> json.replaceFirst("\"next\":[0-9]+", "\"next\":" + begun));
      table.before((call, at) -> assertThat(live(table)).doesNotHaveDuplicates()).sync();
      assertThat(byPartition(table)).isEqualTo(before);
      assertFollowed(table);
    }
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    assertFollowed(table);
  }

  /** Nobody wrote the list of the commit, so the one that a rollback wants is still there. */
  @Test
  void aLateWriteCannotReplaceAListThatARollbackFoundThere() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    long restored = table.head().version();
    SleepingWrites sleeping = new SleepingWrites(table);
    try {
      table.job(table.through(sleeping), CommitKind.DYNAMIC, "dt=2026-11-22").commit();
    } catch (ProcessDied died) {
      // It sleeps before its write of the manifest.
    }
    table.through(new DeniedManifests(table)).recover();
    assertThat(table.head().active()).isEmpty();
    table.open().rollback(restored);
    assertFollowed(table);
    assertThat(sleeping.wakeUp()).isPositive();
    assertFollowed(table);
  }

  /** Rolls back while the store refuses a kind of request for one of many partitions. */
  private static TestTable refusedIn(String refused, StoreCall kind, int partitions)
      throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    String[] all =
        IntStream.range(0, partitions).mapToObj("h=%04d"::formatted).toArray(String[]::new);
    table.commit(CommitKind.APPEND, all);
    table.open().follow(FollowerKind.SYMLINK);
    long restored = table.head().version();
    table.commit(CommitKind.DYNAMIC, all);
    Location folder = table.paths.symlinks(refused);
    table
        .before(
            (call, at) -> {
              if (call == kind && folder.holds(at)) {
                throw new StoreException(StoreException.Kind.DENIED, "403");
              }
            })
        .rollback(restored);
    return table;
  }

  /** The partitions whose readers see two lists. */
  private static List<String> doubled(TestTable table) {
    return byPartition(table).entrySet().stream()
        .filter(lists -> lists.getValue().size() > 1)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Test
  void listsThatHaveMovedBeforeAnotherIsRefusedLeaveTheirFormerFiles() throws Exception {
    TestTable table = refusedIn("h=1000", StoreCall.PUT_IF_ABSENT, 1_001);
    assertThat(table.head().follower(FollowerKind.SYMLINK).orElseThrow().next())
        .as("the follower lags")
        .isEqualTo(table.head().version());
    assertThat(doubled(table)).isEmpty();
    table.open().sync();
    assertFollowed(table);
  }

  @Test
  void aFormerFileThatCannotBeEmptiedDoesNotKeepOthers() throws Exception {
    TestTable table = refusedIn("h=0001", StoreCall.PUT, 4);
    assertThat(doubled(table)).containsExactly("h=0001");
    table.open().sync();
    assertFollowed(table);
  }

  @Test
  void switchingThemOffRemovesThem() throws Exception {
    TestTable table = followed(Readers.LISTING);
    assertThat(table.open().unfollow(FollowerKind.SYMLINK)).isTrue();
    assertThat(SymlinkReplay.files(table.store, table.paths)).isEmpty();
    assertThat(table.head().followers()).isEmpty();
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    table.open().follow(FollowerKind.SYMLINK);
    assertFollowed(table);
  }

  @Test
  void manifestsOfAnotherProgramAreNotTouched() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    Location at = file(table, "dt=2026-11-21/manifest");
    table.store.put(at, ByteBuffer.wrap("s3://elsewhere/file\n".getBytes()));
    assertThatThrownBy(() -> table.open().follow(FollowerKind.SYMLINK))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("already");
    assertThat(table.head().followers()).isEmpty();
  }

  @Test
  void aPartitionOutsideTheTableStopsTheFollowerAndNotTheTable() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "s3://annex/sales/dt=2026-11-23");
    assertThat(table.head().active()).isEmpty();
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("is outside the table's folder")
        .hasMessageEndingWith("repave follow <table> --off symlink");
  }

  @Test
  void vacuumKeepsWhatManifestsThatLagName() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.job(CommitKind.APPEND, "s3://annex/sales/dt=2026-11-23").commit();
    table.commit(CommitKind.STATIC, "dt=2026-11-21");
    table.clock.advance(1_000_000_000L);
    table.open().vacuum(0);
    assertThat(table.files()).containsAll(live(table));
  }

  @Test
  void overwritesAndAdoptionsIgnoreTheManifests() throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.commit(CommitKind.STATIC, "dt=2026-11-24");
    long files = table.recorded().size();
    table.open().adopt();
    assertThat(table.recorded()).hasSize((int) files);
    assertFollowed(table);
  }
}
