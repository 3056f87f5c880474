package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A vacuum meets a follower that could not be written since it was switched on. */
class BeginningFollowerTest {
  private static final long DAY = 86_400_000;

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theHistoryThatAFollowerBeginsWithStays(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(5);
    for (int day = 0; day < 20; day++) {
      table.clock.advance(DAY);
      table.commit(CommitKind.DYNAMIC, "dt=" + day % 3);
    }
    Table denied =
        table.before(
            (call, at) -> {
              boolean writes = call == StoreCall.PUT || call == StoreCall.PUT_IF_ABSENT;
              if (writes && at.key().contains(FollowerKind.SYMLINK.folder())) {
                throw new StoreException(Kind.DENIED, "403");
              }
            });
    assertThatThrownBy(() -> denied.follow(FollowerKind.SYMLINK)).hasMessageContaining("403");
    assertThat(table.head().followers().get(0).begins()).isTrue();
    for (int day = 0; day < 40; day++) {
      table.clock.advance(DAY);
      table.job(denied, CommitKind.DYNAMIC, "dt=" + day % 3).commit();
    }

    table.open().vacuum(DAY);
    table.clock.advance(DAY);
    table.open().vacuum(DAY);

    table.open().sync();
    assertThat(table.head().followedVersion()).isEqualTo(table.head().version());
    table.clock.advance(DAY);
    table.open().vacuum(DAY);
    assertThat(table.head().historyFrom()).isGreaterThan(40);
  }
}
