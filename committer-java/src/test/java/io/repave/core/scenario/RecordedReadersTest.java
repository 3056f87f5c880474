package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CountedStore.Request;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A table keeps its kind of readers; a job that asks for none takes the table's. */
class RecordedReadersTest {
  private final TestTable table = new TestTable(Readers.SNAPSHOT);

  private void askForNone() {
    table.configure(it -> it.readers(Optional.empty()));
  }

  @Test
  void aJobThatAsksForNoReadersWritesAsTheTableIsRecorded() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    askForNone();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.head().readers()).isEqualTo(Readers.SNAPSHOT);
    assertThat(table.counted.counts()).doesNotContainKey(Request.COMPLETE);
    assertThat(table.recorded()).containsExactlyInAnyOrder(ids(2, 1), ids(1, 2));
    assertThat(table.writers()).as("replaced files stay").contains(ids(1, 1));
  }

  @Test
  void aNewTableIsForReadersThatList() throws Exception {
    askForNone();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.head().readers()).isEqualTo(Readers.LISTING);
  }

  /** Its tasks uploaded without knowing the readers, which is right for every table. */
  @Test
  void aJobThatBeganBeforeTheFirstSnapshotCommitKeepsItsRows() throws Exception {
    askForNone();
    TestJob early = table.job(CommitKind.APPEND, "dt=1");
    table.configure(it -> it.readers(Readers.SNAPSHOT));
    table.commit(CommitKind.APPEND, "dt=2");
    early.commit();
    assertThat(table.head().readers()).isEqualTo(Readers.SNAPSHOT);
    assertThat(table.recorded()).containsExactlyInAnyOrder(ids(1, 1), ids(2, 2));
    assertThat(table.writers()).containsAll(table.recorded());
  }

  private static String ids(int job, int day) {
    return "dt=" + day + "/commit-" + String.format("%06d", job);
  }
}
