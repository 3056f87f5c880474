package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A Delta log that catches up finds files of its versions. */
class CatchingUpTest {
  /** Rule 4: a file that this follower did not write for this version stops the follower. */
  @Test
  void aFileOfAnotherFollowerStopsALogThatCatchesUpAlsoWhenItHasTheSameSize() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    DeltaLogTest.follow(table);
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    table.commit(CommitKind.DYNAMIC, "dt=2026-11-21");
    // Version 2 of the log is replaced by one of another follower, as a sleeping process writes it.
    Location at = table.paths.deltaLog().resolve(String.format("%020d.json", 2));
    String id = table.head().followers().get(0).id();
    String other = id.substring(0, id.length() - 1) + (id.endsWith("x") ? "y" : "x");
    String text =
        new String(table.content(at), StandardCharsets.UTF_8)
            .replace(id, other)
            .replace(TestTable.id(3), TestTable.id(9));
    table.store.put(at, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    table.rewrite(
        table.paths.head(),
        json -> json.replaceFirst("\"from\":([0-9]+),\"next\":[0-9]+", "\"from\":$1,\"next\":$1"));
    assertThatThrownBy(() -> table.open().sync()).isInstanceOf(InvalidRecordException.class);
  }
}
