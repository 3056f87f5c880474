package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.FakeCatalog;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CatalogFollowingTest {
  private static final FollowerKind KIND = FollowerKind.METASTORE;
  private static final String NAME = "lake.sales";

  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private final FakeCatalog catalog = new FakeCatalog();

  private void follow() throws Exception {
    table.open().followBy(KIND, NAME);
    move();
  }

  private Locations move() throws Exception {
    return table.open().move(KIND, catalog);
  }

  private Follower follower() throws Exception {
    return table.head().follower(KIND).orElseThrow();
  }

  /** Every partition's location is that of the job with this number; 0 for the plain folder. */
  private void assertLocations(Map<String, Integer> jobs) {
    assertThat(catalog.locations().keySet()).isEqualTo(jobs.keySet());
    jobs.forEach(
        (partition, job) -> {
          String folder = job == 0 ? "" : PartFileName.folderOf(TestTable.id(job));
          assertThat(catalog.locations().get(partition).key())
              .isEqualTo(
                  ("sales/" + partition + "/" + folder).replaceAll("/+", "/").replaceAll("/$", ""));
        });
  }

  @Test
  void aPartitionOutsideTheTableIsReportedInTheWordsOfACatalog() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "s3://annex/sales/dt=2");
    assertThatThrownBy(() -> follow())
        .isInstanceOf(InvalidRecordException.class)
        .hasMessage(
            "The partition s3://annex/sales/dt=2 is outside the folder of s3://lake/sales, so a"
                + " catalog cannot follow the table. If one does, switch it off: repave follow"
                + " s3://lake/sales --off metastore");
    assertThat(catalog.locations()).isEmpty();
    assertThat(table.head().followers()).as("no catalog that could never move").isEmpty();
  }

  @Test
  void aCatalogDoesNotBeginToFollowAPartitionInTwoFolders() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.open().unfollow(KIND);
    table.commit(CommitKind.APPEND, "dt=1");
    table.clock.advance(1_000);
    table.open().vacuum(0);
    assertThatThrownBy(this::follow)
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("more than one folder")
        .hasMessageContaining("dt=1");
    assertThat(table.head().followers()).isEmpty();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.clock.advance(1_000);
    table.open().vacuum(0);
    follow();
    assertThat(catalog.files(table)).isEqualTo(table.recorded());
  }

  @Test
  void eachCommitHasAFolderOfItsOwnAndTheCatalogNamesIt() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2", "dt=3");
    follow();
    assertLocations(Map.of("dt=1", 0, "dt=2", 0, "dt=3", 0));
    assertThat(move().plain()).isEqualTo(3);

    long first = table.head().version() + 1;
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    assertThat(follower().followed()).as("the core does not move it").isEqualTo(first - 1);
    assertThat(move().plain()).isEqualTo(1);
    assertLocations(Map.of("dt=1", 2, "dt=2", 2, "dt=3", 0));
    assertThat(follower().followed()).isEqualTo(first);
    assertThat(catalog.files(table)).isEqualTo(table.recorded());

    table.open().rollback(first - 1);
    move();
    assertLocations(Map.of("dt=1", 0, "dt=2", 0, "dt=3", 0));

    table.commit(CommitKind.STATIC, "dt=4");
    move();
    assertLocations(Map.of("dt=4", 3));
    assertThat(catalog.files(table)).isEqualTo(table.recorded());
  }

  /** The table's own folder still has the replaced file. */
  @Test
  void aTableWithoutPartitionsAndFilesIsWhereNothingIs() throws Exception {
    table.commit(CommitKind.APPEND, "");
    follow();
    List<Location> places = new ArrayList<>();
    table.commit(table.request(CommitKind.STATIC), List.of());
    table.open().move(FollowerKind.METASTORE, (name, wanted) -> places.add(wanted.whole()));
    assertThat(table.recorded()).isEmpty();
    assertThat(table.files()).isNotEmpty();
    assertThat(places).containsExactly(table.paths.root().resolve("@empty"));
    assertThat(Locations.isOfCatalog(places.get(0))).isTrue();
  }

  @Test
  void aTableWithoutPartitionsHasOneLocation() throws Exception {
    table.commit(CommitKind.APPEND, "");
    follow();
    assertLocations(Map.of("", 0));
    table.commit(CommitKind.STATIC, "");
    move();
    assertLocations(Map.of("", 2));
  }

  @Test
  void anAppendToAPartitionWithFilesIsRefused() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    table.commit(CommitKind.APPEND, "dt=2");
    assertThatThrownBy(() -> table.commit(CommitKind.APPEND, "dt=1", "dt=3"))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("that have files: dt=1. The metastore table lake.sales")
        .hasMessageContaining("Overwrite the partitions");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
    table.commit(CommitKind.STATIC, "dt=2");
    table.commit(CommitKind.APPEND, "dt=1");
    move();
    assertLocations(Map.of("dt=1", 5, "dt=2", 4));
  }

  /** It loses the race for the head, and finds the files of the winner in the next one. */
  @Test
  void anAppendThatIsOvertakenByAnotherOfTheSamePartitionIsRefused() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    OnceBefore other =
        new OnceBefore(StoreCall.PUT_IF_MATCH, () -> table.commit(CommitKind.APPEND, "dt=3"));
    TestJob slower = table.job(table.before(other), CommitKind.APPEND, "dt=3");
    assertThatThrownBy(slower::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("that have files: dt=3");
    assertThat(slower.abort()).isTrue();
    move();
    assertLocations(Map.of("dt=1", 0, "dt=3", 3));
  }

  @Test
  void anAppendWaitsForAnotherThatIsAboutToWriteTheSameNewPartition() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    table.unfinished(Step.PUBLISH, CommitKind.APPEND, "dt=3");
    table.commit(CommitKind.APPEND, "dt=4");
    assertThat(table.head().active()).as("another partition is not waited for").hasSize(1);
    assertThatThrownBy(() -> table.commit(CommitKind.APPEND, "dt=3"))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("that have files: dt=3");
    move();
    assertThat(catalog.files(table)).isEqualTo(table.recorded());
  }

  @Test
  void aCatalogThatIsMovedWhileACommitIsPublishedIsMovedAgain() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    TestJob next = table.job(CommitKind.DYNAMIC, "dt=1");
    catalog.beforeNextMove(
        () -> {
          next.commit();
          move();
        });
    assertThat(move().version()).isEqualTo(table.head().version());
    assertLocations(Map.of("dt=1", 3));
    assertThat(follower().followed()).isEqualTo(table.head().version());
  }

  @Test
  void aSlowProcessThatFailsPutsRightWhatItMovedBack() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    TestJob next = table.job(CommitKind.DYNAMIC, "dt=1", "dt=2");
    catalog.beforeNextMove(
        () -> {
          next.commit();
          move();
          catalog.dieAfter(1);
        });
    assertThatThrownBy(this::move).hasMessage("the process died");
    assertLocations(Map.of("dt=1", 3, "dt=2", 3));
    assertThat(follower().followed()).isEqualTo(table.head().version());
  }

  @Test
  void aCatalogThatAlwaysFailsDoesNotHoldAProcessWhileOthersCommit() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    int[] moves = {0};
    LocationCatalog failing =
        (name, wanted) -> {
          moves[0]++;
          table.commit(CommitKind.DYNAMIC, "dt=1");
          throw new IOException("denied");
        };
    assertThatThrownBy(() -> table.open().move(KIND, failing)).hasMessage("denied");
    assertThat(moves[0]).isEqualTo(10);
  }

  @Test
  void aProcessWithItsOwnClientOfACatalogRecordsOnlyWhatItWasTold() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    Locations told = table.open().locations(KIND, NAME);
    assertThat(told.folder("dt=1")).isEqualTo("dt=1/" + PartFileName.folderOf(TestTable.id(2)));
    assertThat(told.folder("dt=2")).isEqualTo("dt=2");
    table.commit(CommitKind.DYNAMIC, "dt=2");
    assertThat(table.open().moved(KIND, NAME, told.follower().id(), told.version()))
        .as("tells that the table has moved on")
        .isEqualTo(told.version() + 1);
    assertThat(follower().followed()).isEqualTo(told.version());

    long newest = table.head().version();
    assertThatThrownBy(() -> table.open().moved(KIND, NAME, told.follower().id(), newest + 1))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("has no version " + (newest + 1));
    assertThatThrownBy(() -> table.open().moved(KIND, "lake.other", told.follower().id(), newest))
        .hasMessageContaining("is followed by the metastore table lake.sales already");
    assertThatThrownBy(() -> table.open().locations(FollowerKind.GLUE, NAME))
        .hasMessageContaining("No glue follows the table");
    assertThat(follower().followed()).isEqualTo(told.version());
  }

  @Test
  void aSlowProcessDoesNotMoveTheRecordedVersionBack() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    move();
    long newest = table.head().version();
    assertThat(table.open().moved(KIND, NAME, follower().id(), 1)).isEqualTo(newest);
    assertThat(follower().followed()).isEqualTo(newest);
  }

  @Test
  void aMoveThatDiesIsRepeatedByTheNext() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    catalog.dieAfter(1);
    assertThatThrownBy(this::move).hasMessage("the process died");
    assertThat(follower().followed()).isEqualTo(table.head().version() - 1);
    move();
    assertLocations(Map.of("dt=1", 2, "dt=2", 2));
    assertThat(follower().followed()).isEqualTo(table.head().version());
  }

  @Test
  void vacuumKeepsWhatACatalogThatLagsNames() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    move();
    long followed = table.head().version();
    table.commit(CommitKind.STATIC, "dt=3");
    table.clock.advance(1_000_000_000L);
    table.open().vacuum(0);
    assertThat(catalog.files(table)).isEqualTo(table.recordedAt(followed));
    move();
    table.open().vacuum(0);
    assertThat(table.writers()).hasSize(1);
    assertThat(catalog.files(table)).isEqualTo(table.recorded());
  }

  @Test
  void aJobThatBeganBeforeTheCatalogFollowedFails() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    TestJob slow = table.job(CommitKind.DYNAMIC, "dt=2");
    // Its file is in a plain folder, where readers of the catalog would list it.
    assertThatThrownBy(this::follow)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("have 1 data files that do not belong to version");
    slow.abort();
    TestJob late = table.job(CommitKind.DYNAMIC);
    follow();
    TestJob begun = new TestJob(late.transaction(), table.ledgerOf(late.transaction(), "dt=2"));
    assertThatThrownBy(begun::commit)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("began before a catalog followed the table");
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aFileInAPlainFolderIsRefusedWhileACatalogFollows() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    TestJob job = table.job(CommitKind.DYNAMIC, "dt=1");
    TestJob plain = new TestJob(job.transaction(), TestTable.plain(job.ledger()));
    assertThatThrownBy(plain::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("into a folder");
  }

  @Test
  void filesOfOlderVersionsMustBeGoneBeforeACatalogFollows() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(this::follow).hasMessageContaining("--retention 0s");
    assertThat(table.head().followers()).isEmpty();
    table.clock.advance(1_000);
    table.open().vacuum(0);
    follow();
    assertLocations(Map.of("dt=1", 0));
  }

  @Test
  void aVersionBeforeFollowingIsNotRestored() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.commit(CommitKind.APPEND, "dt=1");
    follow();
    long from = table.head().version();
    assertThatThrownBy(() -> table.open().rollback(from - 1))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("follows the table since version " + from);
    table.commit(CommitKind.DYNAMIC, "dt=1");
    table.open().rollback(from);
    move();
    assertThat(catalog.files(table)).isEqualTo(table.recorded());
  }

  @Test
  void anUnfinishedCommitKeepsACatalogFromFollowing() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PUBLISH, CommitKind.DYNAMIC, "dt=2");
    assertThatThrownBy(this::follow)
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("repave recover");
  }

  @Test
  void aCatalogFollowsASnapshotTableUnderOneName() throws Exception {
    TestTable listing = new TestTable(Readers.LISTING);
    listing.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> listing.open().followBy(KIND, NAME))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.readers=snapshot");
    assertThatThrownBy(this::follow).hasMessageContaining("no version");
    table.commit(CommitKind.APPEND, "dt=1");
    assertThatThrownBy(() -> table.open().followBy(KIND, " "))
        .isInstanceOf(InvalidConfigException.class);
    follow();
    follow();
    assertThat(table.head().followers()).hasSize(1);
    assertThatThrownBy(() -> table.open().followBy(FollowerKind.DELTA, NAME))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("takes no name");
    assertThatThrownBy(() -> table.open().followBy(KIND, "lake.other"))
        .hasMessageContaining("is followed by the metastore table lake.sales already");
    assertThat(table.open().unfollow(KIND)).isTrue();
    assertThat(table.open().unfollow(KIND)).isFalse();
    assertThatThrownBy(this::move).hasMessageContaining("No metastore follows the table");
    assertThatThrownBy(() -> table.open().follow(KIND)).hasMessageContaining("needs the name");
  }
}
