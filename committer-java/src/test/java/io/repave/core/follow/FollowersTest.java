package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table with several followers, one of which cannot be written. */
class FollowersTest {
  private TestTable table;

  @BeforeEach
  void aTableWithADeltaLogAndManifests() throws Exception {
    table = DeltaLogTest.followed(Readers.LISTING);
    table.open().follow(FollowerKind.SYMLINK);
  }

  /** A process that cannot load what it needs to write these files. */
  private Table unableToWrite(FollowerKind... kinds) {
    return table.before(
        (call, at) -> {
          for (FollowerKind kind : kinds) {
            if (table.paths.pointer(kind).holds(at)) {
              throw new NoClassDefFoundError("org/example/" + kind);
            }
          }
        });
  }

  private List<FollowerKind> behind() throws Exception {
    Head head = table.head();
    return head.followers().stream()
        .filter(it -> it.version() < head.version())
        .map(Follower::kind)
        .toList();
  }

  @Test
  void aSyncBringsTheOthersForwardAndReportsTheFirstFailure() throws Exception {
    Table neither = unableToWrite(FollowerKind.DELTA, FollowerKind.SYMLINK);
    table.job(neither, CommitKind.DYNAMIC, "dt=2026-11-22").commit();
    assertThat(behind()).containsExactly(FollowerKind.DELTA, FollowerKind.SYMLINK);
    assertThatThrownBy(() -> unableToWrite(FollowerKind.DELTA).sync())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("org/example/DELTA");
    assertThat(behind()).containsExactly(FollowerKind.DELTA);
    table.open().sync();
    assertThat(behind()).isEmpty();
  }
}
