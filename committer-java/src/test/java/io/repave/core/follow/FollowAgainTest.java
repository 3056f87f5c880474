package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Follower;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.FakeCatalog;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A catalog's table is dropped, or another catalog takes over. */
class FollowAgainTest {
  private static final FollowerKind KIND = FollowerKind.METASTORE;
  private static final String NAME = "lake.sales";

  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private final FakeCatalog catalog = new FakeCatalog();

  private void follow() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.open().followBy(KIND, NAME);
    table.open().move(KIND, catalog);
  }

  private Follower follower() throws Exception {
    return table.head().follower(KIND).orElseThrow();
  }

  @Test
  void aFollowerThatBeginsAgainHasAnotherIdAndKeepsItsFirstVersion() throws Exception {
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    Follower before = follower();
    assertThat(before.begins()).isFalse();
    // Folders with files of older versions do not hinder it, because a catalog follows all along.
    table.open().followAgainBy(KIND, NAME);
    Follower again = follower();
    assertThat(again.id()).isNotEqualTo(before.id());
    assertThat(again.begins()).isTrue();
    assertThat(again.from()).isEqualTo(before.from());
    table.open().move(KIND, catalog);
    assertThat(follower().followed()).isEqualTo(table.head().version());
    assertThat(follower().begins()).isFalse();
  }

  @Test
  void aSecondFollowOfTheSameNameKeepsTheId() throws Exception {
    follow();
    Follower before = follower();
    table.open().followBy(KIND, NAME);
    assertThat(follower()).isEqualTo(before);
  }

  /** The first one may have marked a table in another catalog before it died. */
  @Test
  void aFollowThatDiedIsRepeatedWithAnotherId() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.open().followBy(KIND, NAME);
    Follower died = follower();
    table.open().followBy(KIND, NAME);
    assertThat(follower()).isEqualTo(died.again(follower().id()));
    assertThat(follower().id()).isNotEqualTo(died.id());
  }

  @Test
  void aTableThatNothingFollowsIsFollowedFromItsVersionOn() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.open().followAgainBy(KIND, NAME);
    assertThat(follower().from()).isEqualTo(table.head().version());
  }

  @Test
  void anotherNameIsRefused() throws Exception {
    follow();
    Follower before = follower();
    assertThatThrownBy(() -> table.open().followAgainBy(KIND, "lake.other"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("followed by the metastore table lake.sales already");
    assertThat(follower()).isEqualTo(before);
  }

  /** The table that follows now does not have the locations of the one before. */
  @Test
  void aProcessOfTheFormerFollowerRecordsNothingForTheNewOne() throws Exception {
    follow();
    table.commit(CommitKind.DYNAMIC, "dt=1");
    Locations told = table.open().locations(KIND, NAME);
    table.open().followAgainBy(KIND, NAME);
    assertThatThrownBy(() -> table.open().moved(KIND, NAME, told.follower().id(), told.version()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("perhaps in another catalog");
    assertThat(follower().begins()).isTrue();
    table.open().moved(KIND, NAME, follower().id(), told.version());
    assertThat(follower().followed()).isEqualTo(told.version());
  }

  /** Otherwise it would put the mark of the other catalog's table on its own. */
  @Test
  void aProcessDoesNotGoOnWhenTheCatalogBeginsAgainMeanwhile() throws Exception {
    follow();
    String before = follower().id();
    List<String> ids = new ArrayList<>();
    assertThatThrownBy(
            () ->
                table
                    .open()
                    .move(
                        KIND,
                        (name, wanted) -> {
                          ids.add(wanted.follower().id());
                          table.open().followAgainBy(KIND, NAME);
                          table.commit(CommitKind.DYNAMIC, "dt=1");
                        }))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("perhaps in another catalog");
    assertThat(ids).containsExactly(before);
    assertThat(follower().begins()).as("what it moved is not recorded").isTrue();
  }
}
