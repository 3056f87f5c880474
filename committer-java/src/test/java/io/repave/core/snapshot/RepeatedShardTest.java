package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** A checkpoint without commits after it is read shard by shard. */
class RepeatedShardTest {
  /** A shard that is read twice doubles its files. */
  @Test
  void aCheckpointThatNamesAShardTwiceIsRefused() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.checkpointEvery(4);
    for (int i = 0; i < 7; i++) {
      table.commit(CommitKind.DYNAMIC, "dt=" + i % 3);
    }
    assertThat(table.head().checkpointVersion()).isEqualTo(table.head().version());
    table.rewrite(
        table.paths.checkpoint(table.head().checkpoint()),
        json -> json.replaceFirst("\"shards\":\\[(\\{[^}]*\\})\\]", "\"shards\":[$1,$1]"));
    assertThatThrownBy(table::recorded).isInstanceOf(InvalidRecordException.class);
  }
}
