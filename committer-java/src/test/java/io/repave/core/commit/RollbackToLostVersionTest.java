package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

class RollbackToLostVersionTest {
  @Test
  void aRollbackThatCannotBePlannedFailsBeforeItIsDecided() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(4);
    for (int i = 0; i < 8; i++) {
      table.commit(CommitKind.DYNAMIC, "dt=" + i % 3);
    }
    // The newest version does not need this manifest: a checkpoint has its files.
    var lost = table.history().stream().filter(it -> it.version() == 2).findFirst().orElseThrow();
    table.store.delete(List.of(table.paths.manifest(lost.id())));
    List<String> before = table.recorded();
    assertThatThrownBy(() -> table.open().rollback(3)).isInstanceOf(InvalidRecordException.class);
    assertThat(table.head().active()).isEmpty();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    assertThat(table.recorded()).hasSameSizeAs(before);
  }

  /** The plan names what the newest version has and the target has not. */
  @Test
  void aRollbackFromAVersionThatCannotBeReadFailsBeforeItIsDecided() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=1");
    long target = table.head().version();
    CommitId lost = table.commit(CommitKind.APPEND, "dt=2").by();
    table.store.delete(List.of(table.paths.manifest(lost)));
    assertThatThrownBy(() -> table.open().rollback(target))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("is missing");
    assertThat(table.head().active()).isEmpty();
  }
}
