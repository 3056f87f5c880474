package io.repave.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.Dialect;
import io.repave.testing.FaultSchedule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SingleJobTest {
  @ParameterizedTest
  @CsvSource({
    "DYNAMIC,LISTING", "STATIC,LISTING", "APPEND,LISTING",
    "DYNAMIC,SNAPSHOT", "STATIC,SNAPSHOT", "APPEND,SNAPSHOT"
  })
  void aJobWithoutFaultsIsCommitted(CommitKind kind, Readers readers) {
    List<String> trace = new ArrayList<>();
    var calls =
        new SingleJob(kind, readers, Dialect.AWS, List.of())
            .run(FaultSchedule.NONE, FaultSchedule.NONE, trace::add);
    trace.forEach(System.out::println);
    assertThat(calls.driver()).isPositive();
  }
}
