package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.Readers;
import io.repave.testing.JsonLines;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** A follower never fails a commit (rule 2), whatever its record says. */
class HostileFollowerStateTest {
  @Test
  void aStateWhoseTypesDoNotFitThePartitionsFailsNoCommit() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.deltaCheckpointEvery(2));
    table.commit(CommitKind.APPEND, "dt=x");
    DeltaLogTest.follow(table);
    Follower follower = table.head().followers().get(0);
    table.rewrite(
        table.paths.followerState(follower.id(), follower.state().orElseThrow()),
        json -> json.replace("\"type\":\"string\"", "\"type\":\"integer\""));
    for (int i = 0; i < 3; i++) {
      var process = table.open(table.process().rows(JsonLines.FORMAT).ports());
      table.job(process, CommitKind.APPEND, "dt=" + i).commit();
    }
    assertThat(table.head().active()).isEmpty();
  }
}
