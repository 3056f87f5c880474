package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a table lies says nothing about its records. */
class TablePathTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sales",
        "uploads-eu/sales",
        "manifest-1/sales",
        "commits",
        "a b/100%/+",
        "head.json"
      })
  void aTableIsFinishedWhateverItsPathIs(String root) throws Exception {
    Lake lake = new Lake(new Location("lake", root));
    lake.commit(CommitKind.APPEND, "dt=1", "dt=2");
    lake.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1");
    lake.table().recover();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002", "dt=2/commit-000001");
    lake.commit(CommitKind.STATIC, "dt=3");
    assertThat(lake.writers()).containsExactly("dt=3/commit-000003");
    lake.clock.advance(1_000);
    lake.table().vacuum(0);
    assertThat(lake.recorded()).containsExactly("dt=3/commit-000003");
  }
}
