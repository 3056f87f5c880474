package io.repave.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitKind;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A bulk delete answers 200 and names keys that it did not delete, or refuses the whole page. */
class FileDeletionTest {
  private final TestTable table = new TestTable();
  private final List<List<Location>> asked = new ArrayList<>();

  /** Refuses the first key of the first requests, and deletes the others. */
  private ObjectStore refusing(int requests) {
    return new InterceptingStore(table.store) {
      @Override
      public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
        asked.add(keys);
        if (asked.size() > requests) {
          return super.delete(keys);
        }
        super.delete(keys.subList(1, keys.size()));
        return List.of(new DeleteFailure(keys.get(0), "SlowDown: please"));
      }
    };
  }

  /** Refuses a request for several keys when XML cannot express one of them, as S3 does. */
  private ObjectStore withoutControlCharacters() {
    return new InterceptingStore(table.store) {
      @Override
      public List<DeleteFailure> delete(List<Location> keys) throws StoreException {
        asked.add(keys);
        if (keys.size() > 1 && keys.stream().anyMatch(at -> at.key().contains("\u0001"))) {
          throw new StoreException(Kind.INVALID, "DeleteObjects answered 400 MalformedXML");
        }
        return super.delete(keys);
      }
    };
  }

  @Test
  void aKeyThatABulkDeleteCannotNameIsDeletedAlone() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    table.foreign("dt=1/odd\u0001name");
    TestJob job = table.job(table.through(withoutControlCharacters()), CommitKind.DYNAMIC, "dt=1");

    job.commit();

    assertThat(asked).extracting(List::size).containsExactly(2, 1, 1);
    assertThat(table.writers()).containsExactly("dt=1/commit-000002");
    assertThat(table.head().active()).isEmpty();
  }

  /** S3 answers 200 and refuses each key when the permission to delete is missing. */
  private ObjectStore withoutPermission() {
    return new InterceptingStore(table.store) {
      @Override
      public List<DeleteFailure> delete(List<Location> keys) {
        asked.add(keys);
        return keys.stream().map(at -> new DeleteFailure(at, "AccessDenied: Denied")).toList();
      }
    };
  }

  @Test
  void keysThatMayNotBeDeletedAreNotSentAgain() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1");
    TestJob job = table.job(table.through(withoutPermission()), CommitKind.DYNAMIC, "dt=1");
    long begunMillis = table.clock.tickMillis();

    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("AccessDenied");

    assertThat(asked).hasSize(1);
    assertThat(table.clock.tickMillis()).isEqualTo(begunMillis);
  }

  @Test
  void aKeyThatTheStoreRefusesForAWhileIsSentAgainAlone() throws Exception {
    table.commit(CommitKind.DYNAMIC, "dt=1", "dt=2", "dt=3");
    TestJob job = table.job(table.through(refusing(2)), CommitKind.DYNAMIC, "dt=1", "dt=2", "dt=3");

    job.commit();

    assertThat(asked).extracting(List::size).containsExactly(3, 1, 1);
    assertThat(asked.get(1)).containsExactly(asked.get(0).get(0)).isEqualTo(asked.get(2));
    assertThat(table.files()).hasSize(3);
    assertThat(table.head().active()).isEmpty();
  }
}
