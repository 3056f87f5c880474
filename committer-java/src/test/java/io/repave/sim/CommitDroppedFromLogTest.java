package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.Ports;
import io.repave.core.error.CommitFailedException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.LoggedCommit;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.PendingUpload;
import io.repave.testing.Dialect;
import io.repave.testing.Fault;
import io.repave.testing.FaultSchedule;
import io.repave.testing.FaultyObjectStore;
import io.repave.testing.HeldUpload;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestPorts;
import io.repave.testing.Unchecked;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The head's log is bounded: it drops a commit when enough others come after it. A process that
 * slept so long must still learn what happened to its commit. These tests do without the checker of
 * the simulation, because it reads the same log. The model has mutants for the same two cases.
 */
class CommitDroppedFromLogTest {
  private static final int MORE_THAN_THE_LOG_KEEPS = 45;
  private static final JobSpec SPEC =
      JobSpec.of("commit-aaaa", CommitKind.DYNAMIC, "", "p=1", "p=2");

  @Test
  void abortingAJobLongAfterItSucceededDeletesNothing() throws Exception {
    World world = new World(Dialect.AWS, Readers.SNAPSHOT);
    WriteTransaction job = table(world).begin(SPEC.request(""));
    Ledger ledger = JobRun.ledger(upload(world, SPEC));
    job.commit(ledger);

    commitOthers(world);

    assertThat(head(world).log()).noneMatch(commit -> commit.id().equals(job.id()));
    assertThat(job.abort(ledger)).isFalse();
    assertThere(world, SPEC.files());
  }

  @Test
  void aDriverThatWasPausedDuringItsRevertFailsAndRetiresNothing() throws Exception {
    World world = new World(Dialect.AWS, Readers.LISTING);
    List<Upload> uploads = upload(world, SPEC);
    OnceBefore sleep =
        new OnceBefore(
            (call, at) -> hasUnfinishedCommit(world),
            () -> {
              revert(world, uploads);
              commitOthers(world);
            });
    WriteTransaction job =
        table(world, InterceptingStore.before(world.store, sleep)).begin(SPEC.request(""));

    assertThatThrownBy(() -> job.commit(JobRun.ledger(uploads)))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("was reverted");

    assertThat(sleep.happened()).isTrue();
    assertThat(head(world).log()).noneMatch(commit -> commit.id().equals(job.id()));
    assertThere(world, World.INITIAL);
  }

  @Test
  void aDriverWhoseCommitOthersFinishedLongAgoIsToldItsVersion() throws Exception {
    World world = new World(Dialect.AWS, Readers.LISTING);
    OnceBefore sleep =
        new OnceBefore(
            (call, at) -> hasUnfinishedCommit(world),
            () -> {
              table(world).recover();
              commitOthers(world);
            });
    WriteTransaction job =
        table(world, InterceptingStore.before(world.store, sleep)).begin(SPEC.request(""));

    long version = job.commit(JobRun.ledger(upload(world, SPEC))).version();

    assertThat(sleep.happened()).isTrue();
    assertThat(head(world).log()).noneMatch(commit -> commit.id().equals(job.id()));
    assertThat(table(world).history(Integer.MAX_VALUE))
        .filteredOn(commit -> commit.id().equals(job.id()))
        .singleElement()
        .returns(version, LoggedCommit::version);
  }

  /**
   * The answer to the reservation is lost. Before the driver looks again, a recoverer finds a file
   * missing and reverts the commit, and the log drops the revert.
   */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aDriverWhoseRevertedCommitTheLogDroppedDoesNotReserveItAgain(Readers readers)
      throws Exception {
    World world = new World(Dialect.AWS, readers);
    Reverted reverted = commitWhileOthersRevert(world, () -> {});
    assertThat(reverted.failure)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("was reverted")
        .hasMessageContaining("Run the job again");
    CommitId id = reverted.job.id();
    assertThat(head(world).log()).noneMatch(commit -> commit.id().equals(id));
    assertThat(table(world).history(Integer.MAX_VALUE)).noneMatch(it -> it.id().equals(id));
    assertThat(reverted.job.abort(reverted.ledger)).isTrue();
    assertThere(world, World.INITIAL);
  }

  /** The mutant of the test above: a revert that leaves no mark loses rows. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aRevertWithoutAMarkWouldBeReservedAgain(Readers readers) throws Exception {
    World world = new World(Dialect.AWS, readers);
    Reverted reverted =
        commitWhileOthersRevert(
            world,
            () -> {
              Location marks = world.paths.records().resolve("refused");
              List<Location> kept =
                  world.store.objects().keySet().stream().filter(marks::holds).toList();
              assertThat(kept).isNotEmpty();
              world.store.delete(kept);
            });
    assertThat(table(world).history(Integer.MAX_VALUE))
        .anyMatch(it -> it.id().equals(reverted.job.id()));
    assertThat(world.store.objects()).doesNotContainKey(reverted.lost);
  }

  /** What a job of a driver that slept was told. */
  private record Reverted(WriteTransaction job, Ledger ledger, Throwable failure, Location lost) {}

  private static Reverted commitWhileOthersRevert(World world, Unchecked.Action then)
      throws Exception {
    table(world)
        .begin(JobSpec.of("first-job", CommitKind.APPEND, "", "p=3").request(""))
        .commit(JobRun.ledger(List.of()));
    JobSpec append = JobSpec.of("commit-aaaa", CommitKind.APPEND, "", "p=1", "p=2");
    OnceBefore sleep =
        new OnceBefore(
            (call, at) -> hasUnfinishedCommit(world),
            () -> {
              loseOneFileAndRevert(world, append);
              commitOthers(world);
              then.run();
            });
    Fault lost = Fault.of(Fault.Kind.LOST);
    FaultyObjectStore faulty =
        new FaultyObjectStore(
            "driver",
            world.store,
            world.network,
            FaultSchedule.nth(StoreCall.PUT_IF_MATCH, 1, lost));
    WriteTransaction job =
        table(world, InterceptingStore.before(faulty, sleep)).begin(append.request(""));
    Ledger ledger = JobRun.ledger(upload(world, append));

    Throwable failure = catchThrowable(() -> job.commit(ledger));
    assertThat(sleep.happened()).isTrue();
    return new Reverted(job, ledger, failure, world.paths.root().resolve(append.files().get(0)));
  }

  /** Completes the uploads, deletes one file as an admin might, and lets a recovery revert. */
  private static void loseOneFileAndRevert(World world, JobSpec spec) throws Exception {
    for (HeldUpload open : world.store.openUploads()) {
      byte[] content = spec.commit().getBytes(StandardCharsets.UTF_8);
      world.store.complete(
          new PendingUpload(
              open.at(), open.uploadId(), content.length, List.of(open.parts()[0].etag())));
    }
    Location file = world.paths.root().resolve(spec.files().get(0));
    assertThat(world.store.objects()).containsKey(file);
    world.store.delete(List.of(file));
    table(world).recover();
    assertThat(world.checker.head().orElseThrow().log()).anyMatch(LoggedCommit::reverted);
  }

  private static boolean hasUnfinishedCommit(World world) {
    return world.checker.head().filter(head -> !head.active().isEmpty()).isPresent();
  }

  private static Table table(World world) {
    return table(world, world.store);
  }

  private static Table table(World world, ObjectStore store) {
    Ports ports = TestPorts.of(store, world.clock).nonces(world.nonces).ports();
    return Table.open(ports, world.paths, World.settings(world.readers));
  }

  private static List<Upload> upload(World world, JobSpec spec) {
    return new JobRun(spec, World.SETTINGS, false).upload(world);
  }

  private static void revert(World world, List<Upload> uploads) throws Exception {
    Upload lost = uploads.get(0);
    world.store.abort(world.paths.file(lost.partition(), lost.name()), lost.uploadId());
    table(world).recover();
  }

  private static void commitOthers(World world) throws Exception {
    for (int i = 0; i < MORE_THAN_THE_LOG_KEEPS; i++) {
      JobSpec other = JobSpec.of("other-%04d".formatted(i), CommitKind.APPEND, "", "p=3");
      table(world).begin(other.request("")).commit(JobRun.ledger(upload(world, other)));
    }
  }

  private static Head head(World world) {
    return world.checker.head().orElseThrow();
  }

  private static void assertThere(World world, Iterable<String> keys) {
    for (String key : keys) {
      Location at = world.paths.root().resolve(key);
      assertThat(world.store.objects()).containsKey(at);
    }
  }
}
