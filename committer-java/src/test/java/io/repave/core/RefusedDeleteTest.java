package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.store.DeleteFailure;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import java.lang.reflect.Proxy;
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
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("delete")) {
                return method.invoke(lake.store, arguments);
              }
              @SuppressWarnings("unchecked")
              List<Location> keys = (List<Location>) arguments[0];
              asked.add(keys);
              if (asked.size() > requests) {
                return lake.store.delete(keys);
              }
              lake.store.delete(keys.subList(1, keys.size()));
              return List.of(new DeleteFailure(keys.get(0), "SlowDown: please"));
            });
  }

  @Test
  void aKeyThatIsRefusedForAWhileIsSentAgainAlone() throws Exception {
    lake.commit(CommitKind.DYNAMIC, "dt=1", "dt=2", "dt=3");
    CommitJob job = lake.through(refusing(2)).begin(lake.request(CommitKind.DYNAMIC));

    job.commit(Lake.ledger(lake.upload(job, Set.of("dt=1", "dt=2", "dt=3"))));

    assertThat(asked).extracting(List::size).containsExactly(3, 1, 1);
    assertThat(asked.get(1)).containsExactly(asked.get(0).get(0)).isEqualTo(asked.get(2));
    assertThat(lake.files()).hasSize(3);
    assertThat(lake.table().head().orElseThrow().active()).isEmpty();
  }
}
