package io.repave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.CommitState;
import io.repave.core.record.Readers;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The public API answers with typed results. Its JSON documents: {@code GoldenStatesTest}. */
class RepaveTableTest {
  private static final String NAME = "s3a://lake/sales";

  private final TestTable listing = new TestTable();
  private final TestTable snapshot = new TestTable(Readers.SNAPSHOT);

  private static RepaveTable open(TestTable table) throws IOException {
    return OpenedTables.over(NAME, table.open());
  }

  @Test
  void aTableThatWasNeverWrittenHasNoVersions() throws Exception {
    RepaveTable table = open(listing);
    assertThat(table.status())
        .isEqualTo(new TableStatus(NAME, "", 0, 0, Optional.empty(), 0, List.of(), List.of()));
    assertThat(table.history()).isEmpty();
    assertThat(table.newestPartitions()).isEmpty();
    assertThat(table.recover()).isEqualTo(new RecoveryResult(0, List.of()));
    assertThatThrownBy(table::manifest)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(
            "Repave has not committed to s3a://lake/sales: it has no versions. Check the path.");
    assertThatThrownBy(table::files).isInstanceOf(InvalidConfigException.class);
  }

  @Test
  void aSessionThatCannotShowAChangeDoesNotFailIt() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1");
    Table deaf =
        listing.before(
            (call, at) -> {
              throw new StoreException(Kind.INVALID, "no answer");
            });
    new OpenedSession(null, NAME).changed(OpenedTables.over(NAME, deaf));
  }

  @Test
  void statusNamesAnUnfinishedCommitUntilItIsRecovered() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1");
    CommitId dead = listing.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    RepaveTable table = open(listing);
    TableStatus status = table.status();
    assertThat(status.version()).isEqualTo(1);
    assertThat(status.readers()).contains(Readers.LISTING);
    UnfinishedCommit commit = status.active().get(0);
    assertThat(commit.commit()).isEqualTo(dead.folder());
    assertThat(commit.kind()).isEqualTo(CommitKind.DYNAMIC);
    assertThat(commit.state()).isEqualTo(CommitState.PENDING);
    assertThat(commit.reserved())
        .isBetween(
            Instant.ofEpochMilli(dead.startedMillis()),
            Instant.ofEpochMilli(listing.clock.wallMillis()));
    assertThat(table.recover())
        .isEqualTo(
            new RecoveryResult(
                2,
                List.of(
                    new RecoveryResult.EndedCommit(
                        dead.folder(),
                        CommitKind.DYNAMIC,
                        RecoveryResult.Outcome.FINISHED,
                        List.of("dt=1")))));
    assertThat(table.status().active()).isEmpty();
    assertThat(table.newestPartitions()).containsExactly("dt=1");
  }

  @Test
  void historyCountsWhatEachCommitChanged() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1", "dt=1", "dt=2");
    listing.commit(CommitKind.DYNAMIC, "dt=1");
    CommitId dead = listing.unfinished(Step.PLAN, CommitKind.APPEND, "dt=3");
    RepaveTable table = open(listing);
    List<HistoryEntry> history = table.history();
    assertThat(history).extracting(HistoryEntry::version).containsExactly(0L, 2L, 1L);
    assertThat(history)
        .extracting(HistoryEntry::state)
        .containsExactly(
            HistoryEntry.State.PENDING, HistoryEntry.State.PUBLISHED, HistoryEntry.State.PUBLISHED);
    assertThat(history.get(0).commit()).isEqualTo(dead.folder());
    assertThat(history.get(0).counts()).isEmpty();
    long bytes = TestTable.id(1).length();
    assertThat(history.get(1).counts())
        .contains(
            new CommitCounts(
                1, 1, bytes, OptionalLong.empty(), 2, 2 * bytes, OptionalLong.empty(), 0));
    assertThat(table.history(2)).isEqualTo(history.subList(0, 2));
  }

  @Test
  void aManifestNamesTheFilesOfEachPartition() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1");
    listing.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    RepaveTable table = open(listing);
    TableManifest manifest = table.manifest(2);
    assertThat(table.manifest()).isEqualTo(manifest);
    assertThat(manifest.touched()).containsExactly("dt=1", "dt=2");
    assertThat(manifest.scope()).isEmpty();
    assertThat(manifest.counts().filesIn()).isEqualTo(2);
    PartitionChange change = manifest.partitions().get(0);
    assertThat(change.partition()).isEqualTo("dt=1");
    assertThat(change.out()).isEqualTo(table.manifest(1).partitions().get(0).in());
    assertThatThrownBy(() -> table.manifest(3))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage("s3a://lake/sales has no version 3; its newest is 2.");
  }

  @Test
  void filesAreThoseOfTheVersionAndARollbackRestoresThem() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=1");
    snapshot.commit(CommitKind.DYNAMIC, "dt=1", "dt=2");
    RepaveTable table = open(snapshot);
    // Version 1 adopts what was in the folder before: nothing.
    TableFiles first = table.files(2);
    assertThat(first.partitions()).extracting(PartitionFiles::partition).containsExactly("dt=1");
    DataFile file = first.partitions().get(0).files().get(0);
    assertThat(file.bytes()).isEqualTo(TestTable.id(1).length());
    assertThat(table.files().partitions()).hasSize(2);
    RollbackResult rolledBack = table.rollback(2);
    assertThat(rolledBack.version()).isEqualTo(4);
    assertThat(rolledBack.filesIn()).isEqualTo(1);
    assertThat(rolledBack.filesOut()).isEqualTo(2);
    assertThat(table.files().partitions()).isEqualTo(first.partitions());
    assertThat(table.history(1).get(0).kind()).isEqualTo(CommitKind.ROLLBACK);
  }

  @Test
  void theStateBeforeTheFirstVersionIsNotRestored() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=1");
    RepaveTable table = open(snapshot);
    for (long version : new long[] {0, -1}) {
      assertThatThrownBy(() -> table.rollback(version))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("has no version " + version + "; the first is 1");
    }
    assertThat(table.files().partitions()).hasSize(1);
  }

  @Test
  void aVacuumKeepsWhatTheOptionsSay() throws Exception {
    snapshot.commit(CommitKind.APPEND, "dt=1");
    snapshot.commit(CommitKind.DYNAMIC, "dt=1");
    RepaveTable table = open(snapshot);
    assertThat(table.vacuum().files()).as("within the configured retention").isZero();
    snapshot.clock.advance(OpenedTables.RETENTION_MILLIS + 1);
    VacuumResult planned = table.vacuum(VacuumOptions.configured().dryRun());
    assertThat(planned.isDryRun()).isTrue();
    assertThat(planned.files()).isEqualTo(1);
    assertThat(snapshot.writers()).hasSize(2);
    VacuumOptions week = VacuumOptions.configured().keeping(Duration.ofDays(7));
    assertThat(table.vacuum(week).files()).isZero();
    VacuumResult done = table.vacuum();
    assertThat(done.isDryRun()).isFalse();
    assertThat(done.files()).isEqualTo(1);
    assertThat(done.oldestVersion()).isEqualTo(3);
    assertThat(snapshot.writers()).containsExactly("dt=1/commit-000002");
  }

  @Test
  void aNegativeRetentionIsRefused() {
    VacuumOptions options = VacuumOptions.configured();
    assertThatThrownBy(() -> options.keeping(Duration.ofDays(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("The retention is negative");
  }

  @Test
  void anAdoptionCountsWhatOtherWritersChanged() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1", "dt=2");
    listing.foreign("dt=1/from-elsewhere");
    listing.store.delete(
        listing.store.objects().keySet().stream()
            .filter(at -> at.key().startsWith("sales/dt=2/"))
            .toList());
    AdoptionResult adopted = open(listing).adopt();
    assertThat(adopted.table()).isEqualTo(listing.paths.root().toString());
    assertThat(adopted.version()).isEqualTo(2);
    assertThat(adopted.files()).isEqualTo(1);
    assertThat(adopted.bytes()).isEqualTo(1);
    assertThat(adopted.gone()).isEqualTo(1);
  }

  @Test
  void aRepairNamesTheFilesThatExist() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1");
    CommitId lost = listing.commit(CommitKind.APPEND, "dt=2").by();
    listing.commit(CommitKind.APPEND, "dt=3");
    listing.store.delete(List.of(listing.paths.manifest(lost)));
    long bytes = TestTable.id(1).length();
    assertThat(open(listing).repair()).isEqualTo(new RepairResult(3, 3, 3 * bytes, 0, List.of()));
  }

  @Test
  void aCancelledCommitIsReverted() throws Exception {
    listing.commit(CommitKind.APPEND, "dt=1");
    var blind =
        listing.before(
            (call, at) -> {
              if (call == StoreCall.LIST) {
                throw new StoreException(Kind.INVALID, "no listing");
              }
            });
    TestJob job = listing.job(blind, CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job::commit).isInstanceOf(CommitStateUnknownException.class);
    RecoveryResult cancelled = open(listing).cancel(job.id().id());
    assertThat(cancelled.commits())
        .containsExactly(
            new RecoveryResult.EndedCommit(
                job.id().folder(), CommitKind.DYNAMIC, RecoveryResult.Outcome.REVERTED, List.of()));
    assertThat(open(listing).history(1).get(0).state()).isEqualTo(HistoryEntry.State.REVERTED);
  }

  /** Other writers leave blanks and letters as Spark does not, and adoption keeps their names. */
  @Test
  void aPartitionWithEscapesOfAnotherWriterIsDroppedByTheNameOfItsFolder() throws Exception {
    listing.commit(CommitKind.APPEND, "name=J%20Doe", "name=J Doe", "name=a%3Ab");
    DropResult dropped = open(listing).dropPartitions(DropOptions.of("name=J%20Doe", "name=a:b"));
    assertThat(dropped.partitions().stream().map(PartitionSize::partition))
        .containsExactly("name=J Doe", "name=J%20Doe", "name=a%3Ab");
    assertThat(listing.files()).isEmpty();
  }

  @Test
  void aProbeSaysWhatTheStoreLacks() throws Exception {
    assertThat(open(listing).probe())
        .isEqualTo(new StoreProbe(false, "If-Match is ignored. Listings are stale."));
  }

  @Test
  void aPathThatIsNotManagedIsRefusedWhenItIsOpened() {
    assertThatThrownBy(() -> RepaveTable.open(new Configuration(false), "hdfs://lake/sales"))
        .isInstanceOf(InvalidConfigException.class);
  }

  /** A table that Hadoop's configuration names is opened in a JVM that has no class of Spark's. */
  @Test
  void aProgramWithoutSparkOpensATable() throws Throwable {
    List<URL> withoutSpark = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!new File(entry).getName().matches("(spark|scala)-.*")) {
        withoutSpark.add(new File(entry).toURI().toURL());
      }
    }
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    Thread thread = Thread.currentThread();
    ClassLoader context = thread.getContextClassLoader();
    try (var loader = new URLClassLoader(withoutSpark.toArray(URL[]::new), platform)) {
      // Hadoop loads some of its classes through it.
      thread.setContextClassLoader(loader);
      assertThatThrownBy(() -> loader.loadClass("org.apache.spark.sql.SparkSession"))
          .isInstanceOf(ClassNotFoundException.class);
      Class<?> table = loader.loadClass(RepaveTable.class.getName());
      Class<?> conf = loader.loadClass(Configuration.class.getName());
      MethodType type = MethodType.methodType(table, conf, String.class);
      Object opened =
          MethodHandles.publicLookup()
              .findStatic(table, "open", type)
              .invoke(conf.getConstructor(boolean.class).newInstance(false), NAME);
      assertThat(opened.getClass().getClassLoader()).isSameAs(loader);
    } finally {
      thread.setContextClassLoader(context);
    }
  }
}
