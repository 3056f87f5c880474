package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.RecordNames;
import io.repave.core.record.TablePaths;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** The key of a manifest is longer than that of a ledger. */
class LongTableFolderTest {
  @Test
  void aFolderWithRoomForALedgerButNotForAManifestIsRefusedBeforeTheJob() throws Exception {
    CommitId id = new CommitId(TestTable.id(1), 0);
    int room =
        RecordNames.KEY_BYTES_MAX
            - new TablePaths(new Location("lake", "")).uploads(id).key().length();
    TestTable table = new TestTable(new Location("lake", "x".repeat(room - 1)));
    assertThat(table.paths.uploads(id).key()).hasSize(RecordNames.KEY_BYTES_MAX);
    ObjectStore s3 =
        InterceptingStore.before(
            table.counted,
            (call, at) -> {
              if (at.key().length() > RecordNames.KEY_BYTES_MAX) {
                throw new StoreException(StoreException.Kind.INVALID, "too long: " + at);
              }
            });

    assertThatThrownBy(() -> table.job(table.through(s3), CommitKind.DYNAMIC, "d").commit())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("Use a shorter path");
    assertThat(table.open().head()).isEmpty();
  }

  /** It is written after the publication, and could then never be. */
  @Test
  void aTokenWhoseRecordHasTooLongAKeyIsRefusedBeforeTheJob() throws Exception {
    TestTable table = new TestTable();
    String token = "x".repeat(RecordNames.KEY_BYTES_MAX / 2);
    assertThatThrownBy(() -> table.job(table.request(CommitKind.APPEND, token), "d").commit())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("Use a shorter token");
    assertThat(table.store.objects()).isEmpty();
  }
}
