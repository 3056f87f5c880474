package io.repave.core.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.CommitConflictException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.follow.StartFollowing;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.OnceBefore;
import io.repave.testing.StoreCall;
import io.repave.testing.SymlinkReplay;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A repair changes the files of a version that followers have reached. */
class RepairWithFollowersTest {
  @Test
  void aRepairIsRefusedWhileAFollowerWouldNotHearOfIt() throws Exception {
    TestTable table = new TestTable(Readers.LISTING);
    table.commit(CommitKind.APPEND, "dt=2026-11-21", "dt=2026-11-22");
    table.open().follow(FollowerKind.SYMLINK);
    Location gone =
        table.store.objects().keySet().stream()
            .filter(it -> it.key().contains("/dt=2026-11-22/part-"))
            .findFirst()
            .orElseThrow();
    table.store.delete(List.of(gone));
    assertThatThrownBy(() -> table.open().repair())
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("repave follow")
        .hasMessageContaining("--off symlink");
    table.open().unfollow(FollowerKind.SYMLINK);
    table.open().repair();
    table.open().follow(FollowerKind.SYMLINK);
    List<String> listed =
        SymlinkReplay.live(table.store, table.paths).stream().map(TestTable::writer).toList();
    assertThat(listed).isEqualTo(table.recorded());
  }

  /** It has reached the version of the head, with the files that the records named then. */
  @Test
  void aRepairFailsWhenAFollowerWasAddedMeanwhile() throws Exception {
    TestTable table = new TestTable(Readers.LISTING);
    table.commit(CommitKind.APPEND, "dt=2026-11-21");
    OnceBefore follow =
        new OnceBefore(
            StoreCall.PUT_IF_MATCH,
            () -> new StartFollowing(table.context()).run(FollowerKind.SYMLINK));
    assertThatThrownBy(() -> table.before(follow).repair())
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("Run the repair again");
    assertThat(table.head().checkpoint()).isEmpty();
  }
}
