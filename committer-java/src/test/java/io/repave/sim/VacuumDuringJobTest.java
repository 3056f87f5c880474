package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.Dialect;
import io.repave.testing.FaultSchedule;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A vacuum cancels a slow job as abandoned: the job fails, and the table stays right. */
class VacuumDuringJobTest {
  private static final long RETENTION_MILLIS = 60_000;
  private static final JobSpec SPEC =
      JobSpec.of("commit-aaaa", CommitKind.DYNAMIC, "", "p=1", "p=2");

  @ParameterizedTest
  @EnumSource(Readers.class)
  void aJobThatOutlivesTheRetentionFails(Readers readers) throws Exception {
    World world = worldWithAHead(readers);
    WriteTransaction job = begin(world, () -> {});
    Ledger ledger = JobRun.ledger(new JobRun(SPEC, World.SETTINGS, false).upload(world));

    world.clock.advance(RETENTION_MILLIS + 1);
    vacuum(world);

    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("vacuum cancelled it as abandoned");
    assertThat(job.abort(ledger)).isTrue();
    SingleJob.settle(world);
  }

  /** Before a table has records, nothing tells its uploads from those of another table. */
  @Test
  void theFirstJobOfATableKeepsItsUploadsHoweverLongItsTasksRun() throws Exception {
    World world = new World(Dialect.AWS, Readers.LISTING);
    WriteTransaction job = begin(world, () -> {});
    Ledger ledger = JobRun.ledger(new JobRun(SPEC, World.SETTINGS, false).upload(world));
    world.clock.advance(RETENTION_MILLIS + 1);
    assertThatThrownBy(() -> vacuumOnce(world)).hasMessageContaining("There is no Repave table");
    assertThat(job.commit(ledger).version()).isEqualTo(1);
    SingleJob.settle(world);
  }

  /**
   * There is no head to fence with. A commit whose ledger was there before the vacuum is decided,
   * finds its uploads lost, and reverts.
   */
  @Test
  void aVacuumAtAnyMomentOfTheFirstCommitLeavesItWholeOrFailed() throws Exception {
    int committed = 0;
    int reverted = 0;
    for (int call = 1; call < 30; call++) {
      World world = new World(Dialect.AWS, Readers.LISTING);
      AtomicInteger calls = new AtomicInteger();
      int at = call;
      WriteTransaction job = begin(world, () -> vacuumAt(world, calls.incrementAndGet() == at));
      Ledger ledger = JobRun.ledger(new JobRun(SPEC, World.SETTINGS, false).upload(world));
      world.checker.expectReverts();
      world.clock.advance(RETENTION_MILLIS + 1);
      boolean isCommitted = false;
      try {
        job.commit(ledger);
        isCommitted = true;
        committed++;
      } catch (CommitFailedException e) {
        assertThat(e).hasMessageContaining("was reverted");
        reverted++;
      }
      SingleJob.settle(world);
      assertThat(world.checker.published(SPEC.commit()).isPresent()).isEqualTo(isCommitted);
    }
    assertThat(reverted).isPositive();
    assertThat(committed).isPositive();
  }

  /** The vacuum runs before each call of the job in turn. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aVacuumAtAnyMomentOfACommitLeavesItWholeOrFailed(Readers readers) throws Exception {
    int committed = 0;
    int refused = 0;
    for (int call = 1; call < 30; call++) {
      World world = worldWithAHead(readers);
      AtomicInteger calls = new AtomicInteger();
      int at = call;
      WriteTransaction job = begin(world, () -> vacuumAt(world, calls.incrementAndGet() == at));
      Ledger ledger = JobRun.ledger(new JobRun(SPEC, World.SETTINGS, false).upload(world));
      world.clock.advance(RETENTION_MILLIS + 1);
      boolean isCommitted = false;
      try {
        job.commit(ledger);
        isCommitted = true;
        committed++;
      } catch (CommitFailedException e) {
        job.abort(ledger);
        refused++;
      }
      SingleJob.settle(world);
      assertThat(world.checker.published(SPEC.commit()).isPresent()).isEqualTo(isCommitted);
    }
    assertThat(refused).isPositive();
    assertThat(committed).isPositive();
  }

  @Test
  void aSecondVacuumFindsNothing() throws Exception {
    World world = worldWithAHead(Readers.SNAPSHOT);
    begin(world, () -> {});
    new JobRun(SPEC, World.SETTINGS, false).upload(world);
    world.clock.advance(RETENTION_MILLIS + 1);

    assertThat(world.process("vacuum", FaultSchedule.NONE, 0).table().vacuum(0).files())
        .isPositive();
    assertThat(world.process("vacuum", FaultSchedule.NONE, 0).table().vacuum(0).files()).isZero();
  }

  /** A table with one commit, so that the job has a base version. */
  private static World worldWithAHead(Readers readers) {
    World world = new World(Dialect.AWS, readers);
    JobSpec first = JobSpec.of("commit-first", CommitKind.APPEND, "", "p=3");
    JobRun run = new JobRun(first, World.settings(readers), false);
    run.run(world.process("first", FaultSchedule.NONE, 0), Protocol.REAL);
    assertThat(run.outcome).isEqualTo(JobRun.Outcome.SUCCEEDED);
    return world;
  }

  private static WriteTransaction begin(World world, Runnable turn) throws Exception {
    world.checker.know(SPEC);
    return world
        .process("driver", FaultSchedule.NONE, 0, world.clock, turn)
        .table()
        .begin(SPEC.request(""));
  }

  private static void vacuumAt(World world, boolean now) {
    if (now) {
      vacuum(world);
    }
  }

  private static void vacuumOnce(World world) throws IOException, InterruptedException {
    world.process("vacuum", FaultSchedule.NONE, 0).table().vacuum(RETENTION_MILLIS);
  }

  private static void vacuum(World world) {
    try {
      vacuumOnce(world);
    } catch (InvalidConfigException noTableYet) {
      // Its first job continues.
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
