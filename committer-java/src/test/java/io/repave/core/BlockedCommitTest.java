package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.CommitNames;
import io.repave.testing.InterceptingStore;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A dead commit that cannot be finished stops only the jobs that overlap it. */
class BlockedCommitTest {
  private static final long HOUR_MILLIS = 3_600_000;

  private final Lake lake = new Lake();

  private static CommitRequest replacing(String commit, String folder) {
    return new CommitRequest(CommitNames.id(commit), CommitKind.STATIC, List.of(folder), "", "");
  }

  private int active() throws Exception {
    return lake.table().head().orElseThrow().active().size();
  }

  @ParameterizedTest
  @EnumSource(names = {"DYNAMIC", "STATIC"})
  void aDamagedLedgerStopsTheJobBeforeItsTasksAndNamesTheCommand(CommitKind kind) throws Exception {
    CommitId dead = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    lake.store.put(lake.paths.uploads(dead), ByteBuffer.wrap(new byte[] {1, 2, 3}));
    var before = Map.copyOf(lake.store.objects());
    assertThatThrownBy(() -> lake.table().begin(lake.request(kind)))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("Commit " + Lake.id(1))
        .hasMessageContaining("is unfinished, stands in the way of this job")
        .hasMessageContaining(lake.paths.uploads(dead).toString())
        .hasMessageContaining("Nothing of this job was published")
        .hasMessageContaining("repave recover s3://lake/sales");
    assertThat(lake.store.objects()).isEqualTo(before);
  }

  private Table refusingToComplete(String folder) {
    return lake.through(
        new InterceptingStore(lake.counted) {
          @Override
          protected void before(CountedStore.Request request, Location at) throws StoreException {
            if (request == CountedStore.Request.COMPLETE && at.key().contains(folder)) {
              throw new StoreException(Kind.DENIED, "403");
            }
          }
        });
  }

  @Test
  void aCommitThatCannotBeFinishedStopsAnOverwriteOfItsPartitionAndNamesTheCause()
      throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1");
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    Table denied = refusingToComplete("dt=1");
    WriteTransaction job = denied.begin(lake.request(CommitKind.DYNAMIC));
    Ledger ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitFailedException.class)
        .hasCauseInstanceOf(StoreException.class)
        .hasMessageContaining("Commit " + Lake.id(2))
        .hasMessageContaining("stands in the way of this job, and could not be finished: 403")
        .hasMessageContaining("Fix the cause");
    assertThat(active()).isEqualTo(1);
    assertThat(job.abort(ledger)).isTrue();
    assertThatThrownBy(() -> denied.begin(lake.request(CommitKind.STATIC)))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("stands in the way of this job");
  }

  @Test
  void aCommitThatCannotBeFinishedStopsNoOverwriteOfOtherPartitions() throws Exception {
    CommitId dead = lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    lake.clock.advance(HOUR_MILLIS);
    Table denied = refusingToComplete("dt=1");
    WriteTransaction job = denied.begin(lake.request(CommitKind.DYNAMIC));
    job.commit(Lake.ledger(lake.upload(job, List.of("dt=2"))));
    denied.begin(replacing("commit-other", "dt=3"));
    assertThat(lake.writers()).containsExactly("dt=2/commit-000002");
    assertThat(lake.table().head().orElseThrow().active())
        .extracting(commit -> commit.id())
        .containsExactly(dead);
  }

  @Test
  void aCommitThatCannotBeFinishedKeepsNoOtherFromBeingRecovered() throws Exception {
    CommitId dead = lake.unfinished(Step.PLAN, CommitKind.APPEND, "dt=1");
    lake.unfinished(Step.PLAN, CommitKind.APPEND, "dt=2");
    lake.unfinished(Step.PLAN, CommitKind.APPEND, "dt=3");
    assertThatThrownBy(() -> refusingToComplete("dt=1").recover())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("403");
    assertThat(lake.writers()).containsExactly("dt=2/commit-000002", "dt=3/commit-000003");
    assertThat(lake.table().head().orElseThrow().active())
        .extracting(commit -> commit.id())
        .containsExactly(dead);
  }

  @Test
  void anAppendGoesOnBesideADeadCommitThatCannotBeFinished() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    lake.clock.advance(HOUR_MILLIS);
    WriteTransaction job = refusingToComplete("dt=1").begin(lake.request(CommitKind.APPEND));
    job.commit(Lake.ledger(lake.upload(job, List.of("dt=2"))));
    assertThat(lake.writers()).containsExactly("dt=2/commit-000002");
  }

  @Test
  void aCommitInFoldersThatMayNotBeTouchedStopsOnlyWhoReplacesThem() throws Exception {
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "s3://other/days/dt=1");
    lake.table().begin(lake.request(CommitKind.DYNAMIC));
    assertThat(active()).isEqualTo(1);
    CommitRequest there = replacing("commit-there", "s3://other/days/dt=1");
    assertThatThrownBy(() -> lake.table().begin(there))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave.locations.allowed");
  }
}
