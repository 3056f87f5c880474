package io.repave.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.SharedHead;
import io.repave.core.store.Location;
import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SharedHeadsTest {
  private final SharedHeads heads = new SharedHeads();

  private static Location head(int table) {
    return new Location("lake", "table-" + table + "/_repave/head.json");
  }

  @Test
  void jobsOfATableShareItsHeadAndTablesShareNothing() {
    SharedHead first = heads.of(head(1));
    assertThat(heads.of(head(1))).isSameAs(first);
    assertThat(heads.of(head(2))).isNotSameAs(first);
    assertThat(new SharedHeads().of(head(1))).isNotSameAs(first);
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void nothingIsKeptOfTablesWithoutAJob() throws Exception {
    SharedHead busy = heads.of(head(0));
    for (int table = 1; table <= 100; table++) {
      heads.of(head(table));
    }
    int more = 100;
    while (heads.size() > 50) {
      System.gc();
      Thread.sleep(10);
      heads.of(head(++more));
    }
    assertThat(heads.of(head(0))).isSameAs(busy);
    Reference.reachabilityFence(busy);
  }
}
