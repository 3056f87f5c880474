package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Ports;
import io.repave.core.engine.SharedHead;
import io.repave.core.error.CommitFailedException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Turns;
import io.repave.testing.FakeCatalog;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** Two jobs of one process append to one new partition, while a catalog follows the table. */
class OvertakenAppendTest {
  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  /** The slower one finds the other in the head that both share, without a lost race. */
  @Test
  void anAppendThatAnotherJobOfTheProcessOvertakesIsRefused() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.open().followBy(FollowerKind.METASTORE, "sales");
    table.open().move(FollowerKind.METASTORE, new FakeCatalog());
    SharedHead shared = new SharedHead(Turns.NONE);
    Ports process = table.process().heads(head -> shared).ports();
    OnceBefore other =
        new OnceBefore(
            (call, at) -> call == StoreCall.READ && at.key().contains("/manifest.json"),
            () -> table.job(table.open(process), CommitKind.APPEND, "dt=3").commit());
    Ports slow = process.with(InterceptingStore.before(table.counted, other));
    TestJob slower = table.job(table.open(slow), CommitKind.APPEND, "dt=3");
    assertThatThrownBy(slower::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("that have files: dt=3");
    assertThat(other.happened()).isTrue();
  }
}
