package io.repave.core.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitKind;
import io.repave.core.store.ListPage;
import io.repave.core.store.ListedObject;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stores whose listings break the contract. No overwrite may succeed and leave old rows. */
class OrderedListingTest {
  private final TestTable table = new TestTable();

  /** The way in which a page is wrong. */
  enum Wrong {
    REVERSED {
      @Override
      ListPage of(ListPage page, String after) {
        List<ListedObject> reversed = new ArrayList<>(page.objects());
        Collections.reverse(reversed);
        return new ListPage(reversed, page.more(), page.last());
      }
    },
    TWICE_THE_SAME_KEY {
      @Override
      ListPage of(ListPage page, String after) {
        List<ListedObject> twice = new ArrayList<>(page.objects());
        twice.add(twice.get(twice.size() - 1));
        return new ListPage(twice, page.more(), page.last());
      }
    },
    FROM_THE_KEY_THAT_WAS_ASKED_AFTER {
      @Override
      ListPage of(ListPage page, String after) {
        List<ListedObject> from = new ArrayList<>(page.objects());
        from.add(0, new ListedObject(after, 1, "tag", 0, ListedObject.UNKNOWN_AGE));
        return new ListPage(from, page.more(), page.last());
      }
    },
    OF_ANOTHER_FOLDER {
      @Override
      ListPage of(ListPage page, String after) {
        List<ListedObject> more = new ArrayList<>(page.objects());
        more.add(new ListedObject("zoo/part-1", 1, "tag", 0, ListedObject.UNKNOWN_AGE));
        return new ListPage(more, page.more(), page.last());
      }
    };

    abstract ListPage of(ListPage page, String after);
  }

  private ObjectStore listing(Wrong wrong) {
    return new InterceptingStore(table.counted) {
      @Override
      public ListPage list(Location folder, String after) throws StoreException {
        return wrong.of(super.list(folder, after), after);
      }
    };
  }

  @ParameterizedTest
  @EnumSource(Wrong.class)
  void anOverwriteIsNotReportedCommittedWhileOldFilesAreLeft(Wrong wrong) throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2", "dt=3", "dt=4");
    TestJob job =
        table.job(
            table.through(listing(wrong)), CommitKind.DYNAMIC, "dt=1", "dt=2", "dt=3", "dt=4");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("does not list the keys of s3://lake/sales in UTF-8 order");
    table.open().recover();
    assertThat(table.writers())
        .containsExactly(
            "dt=1/commit-000002", "dt=2/commit-000002", "dt=3/commit-000002", "dt=4/commit-000002");
  }

  @Test
  void aVacuumRemovesNothingAfterAWrongListing() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1", "dt=2");
    var before = table.store.objects().keySet().toArray(new Location[0]);
    Table unordered = table.through(listing(Wrong.REVERSED));
    assertThatThrownBy(() -> unordered.vacuum(0))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("UTF-8 order");
    assertThat(table.store.objects().keySet()).containsExactly(before);
  }
}
