package io.repave.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskLedgersTest {
  private final List<String> fetched = new ArrayList<>();

  private static byte[] ledger(String name) {
    return TestTable.taskLedger(List.of(new Upload("", name, "id", 1, 1, List.of("tag"))));
  }

  private TaskBytes stored(String name) {
    return () -> {
      fetched.add(name);
      return ledger(name);
    };
  }

  private TaskBytes lost(String name) {
    return () -> {
      fetched.add(name);
      throw new IOException(name);
    };
  }

  private static List<String> names(Ledger ledger) throws Exception {
    List<String> names = new ArrayList<>();
    ledger.each(batch -> batch.forEach(upload -> names.add(upload.name())));
    return names;
  }

  @Test
  void anAbortGetsTheLedgersBeforeTheFirstFailureAndThoseInMemory() throws Exception {
    List<IOException> failures = new ArrayList<>();

    Ledger readable =
        TaskLedgers.readable(
            List.of(
                stored("a"), lost("b"), lost("c"), stored("d"), TaskBytes.inMemory(ledger("e"))),
            failures::add);

    assertThat(failures).extracting(IOException::getMessage).containsExactly("b");
    assertThat(fetched).containsExactly("a", "b");
    assertThat(readable.summary().files()).isEqualTo(2);
    assertThat(names(readable)).containsExactly("a", "e");
  }

  @Test
  void aLedgerIsFetchedOnceWhileThereIsSpaceAndOtherwiseInEachPass() throws Exception {
    int bytes = ledger("a").length;
    List<TaskBytes> tasks =
        List.of(stored("a"), TaskBytes.inMemory(ledger("b")), stored("c"), stored("d"));

    Ledger all = TaskLedgers.fetched(tasks, 2L * bytes);
    assertThat(names(all)).containsExactly("a", "b", "c", "d");
    assertThat(all.fetchesTasks()).isTrue();
    assertThat(fetched).containsExactly("a", "c", "d", "d");

    fetched.clear();
    Ledger kept = TaskLedgers.fetched(tasks);
    assertThat(names(kept)).containsExactly("a", "b", "c", "d");
    assertThat(kept.fetchesTasks()).isFalse();
    assertThat(fetched).containsExactly("a", "c", "d");
  }
}
