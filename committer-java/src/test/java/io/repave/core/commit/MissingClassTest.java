package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A class that cannot be loaded after a commit is decided, because a jar is missing or older. */
class MissingClassTest {
  private static final String CLASS = "org/example/Codec";

  private final TestTable table = new TestTable();

  private static Progress missingAt(Step step) {
    return (now, done, total) -> {
      if (now == step) {
        throw new NoClassDefFoundError(CLASS);
      }
    };
  }

  /** A process that lacks a class or memory at each request for such a place. */
  private Table failing(Class<? extends Error> lack, Predicate<Location> place) {
    InterceptingStore.Hook hook =
        (call, at) -> {
          if (place.test(at)) {
            throw lack == OutOfMemoryError.class
                ? new OutOfMemoryError("Java heap space")
                : new NoClassDefFoundError(CLASS);
          }
        };
    return table.before(hook);
  }

  @ParameterizedTest
  @CsvSource({
    "PLAN, decided",
    "COMPLETE_UPLOADS, decided",
    "PUBLISH, decided",
    "FINISH, published",
  })
  void theCommitIsNotReportedAsFailed(Step step, String state) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    Table process = table.open(table.process().progress(missingAt(step)).ports());
    TestJob job = table.job(process, CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining(" is " + state + " but not finished")
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(job.abort()).isFalse();
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
  }

  /** The store has decided the commit, and its answer cannot be read. */
  @Test
  void aReservationWhoseAnswerCannotBeReadIsNotReportedAsFailed() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    InterceptingStore unreadable =
        new InterceptingStore(table.counted) {
          @Override
          public String putIfMatch(Location at, ByteBuffer content, String etag)
              throws StoreException {
            super.putIfMatch(at, content, etag);
            throw new NoClassDefFoundError(CLASS);
          }
        };
    TestJob job = table.job(table.through(unreadable), CommitKind.APPEND, "dt=2");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("It is not known whether commit");
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=2/commit-000002");
  }

  /** Otherwise the commit, and each recovery of it, would fail, for as long as that is missing. */
  @ParameterizedTest
  @ValueSource(classes = {NoClassDefFoundError.class, OutOfMemoryError.class})
  void aFollowerThatCannotBeWrittenDoesNotKeepTheCommitFromItsEnd(Class<? extends Error> lack)
      throws Exception {
    table.configure(it -> it.followers(List.of(FollowerKind.SYMLINK)));
    table.commit(CommitKind.APPEND, "dt=1");
    Table process = failing(lack, at -> at.key().contains("_symlink_format_manifest"));
    table.job(process, CommitKind.DYNAMIC, "dt=1").commit();
    assertThat(table.head().active()).isEmpty();
    assertThat(table.head().followers().get(0).version()).isLessThan(table.head().version());
    table.open().sync();
    assertThat(table.head().followers().get(0).version()).isEqualTo(table.head().version());
  }

  /** The commit is published, and a later one writes the checkpoint. */
  @ParameterizedTest
  @ValueSource(classes = {NoClassDefFoundError.class, OutOfMemoryError.class})
  void aCheckpointThatCannotBeWrittenDoesNotKeepTheCommitFromItsEnd(Class<? extends Error> lack)
      throws Exception {
    table.checkpointEvery(1);
    Table process = failing(lack, at -> at.key().contains("/_repave/checkpoints/"));
    table.job(process, CommitKind.APPEND, "dt=1").commit();
    table.unfinished(Step.FINISH, CommitKind.APPEND, "dt=2");
    process.recover();
    assertThat(table.head().active()).isEmpty();
    assertThat(table.head().checkpointVersion()).isZero();
    table.commit(CommitKind.APPEND, "dt=3");
    assertThat(table.head().checkpointVersion()).isEqualTo(table.head().version());
  }

  @ParameterizedTest
  @ValueSource(classes = {NoClassDefFoundError.class, OutOfMemoryError.class})
  void aRecoveryFinishesTheOtherCommits(Class<? extends Error> lack) throws Exception {
    CommitId first = table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1");
    table.unfinished(Step.PLAN, CommitKind.APPEND, "dt=2");
    Table process = failing(lack, at -> at.equals(table.paths.manifest(first)));
    assertThatThrownBy(process::recover)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(lack.getName());
    assertThat(table.head().active()).singleElement().matches(it -> it.id().equals(first));
    assertThat(table.recorded()).containsExactly("dt=2/commit-000002");
  }
}
