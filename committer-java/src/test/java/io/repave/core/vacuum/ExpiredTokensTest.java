package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A vacuum that ends the history removes its tokens, and leaves those of later commits. */
class ExpiredTokensTest {
  private static final long DAY = 86_400_000;

  /** An operator ended the first commit, so its token was free, and its job ran again. */
  @ParameterizedTest
  @EnumSource(Readers.class)
  void aTokenThatALaterCommitUsedAgainStays(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    table.commit(table.request(CommitKind.DYNAMIC, "night"), List.of("dt=1"));
    for (int day = 0; day < 45; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=2");
    }
    table.store.delete(List.of(table.paths.token("night")));
    table.commit(table.request(CommitKind.DYNAMIC, "night"), List.of("dt=1"));
    table.open().vacuum(DAY);
    assertThat(table.head().historyFrom()).isGreaterThan(2);
    assertThat(table.store.head(table.paths.token("night"))).isPresent();
  }
}
