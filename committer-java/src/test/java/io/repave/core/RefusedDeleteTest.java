package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.record.CommitKind;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A bulk delete that answers 200 and names keys that it did not delete. */
class RefusedDeleteTest {
  private final Lake lake = new Lake();
  private final List<List<Location>> asked = new ArrayList<>();

  /** Refuses the first key of the first requests, and deletes the others. */
  private ObjectStore refusing(int requests) {
    return new InterceptingStore(lake.store) {
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

  /** Refuses requests for several keys when XML cannot express one of them, as S3 does. */
  private ObjectStore withoutControlCharacters() {
    return new InterceptingStore(lake.store) {
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
  void aKeyThatNoPageCanNameIsDeletedAlone() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    lake.foreign("dt=1/odd\u0001name");
    WriteTransaction job =
        lake.through(withoutControlCharacters()).begin(lake.request(CommitKind.DYNAMIC));

    job.commit(Lake.ledger(lake.upload(job, Set.of("dt=1"))));

    assertThat(asked).extracting(List::size).containsExactly(2, 1, 1);
    assertThat(lake.writers()).containsExactly("dt=1/commit-000002");
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }

  @Test
  void aKeyThatIsRefusedForAWhileIsSentAgainAlone() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1", "dt=2", "dt=3");
    WriteTransaction job = lake.through(refusing(2)).begin(lake.request(CommitKind.DYNAMIC));

    job.commit(Lake.ledger(lake.upload(job, Set.of("dt=1", "dt=2", "dt=3"))));

    assertThat(asked).extracting(List::size).containsExactly(3, 1, 1);
    assertThat(asked.get(1)).containsExactly(asked.get(0).get(0)).isEqualTo(asked.get(2));
    assertThat(lake.files()).hasSize(3);
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }
}
