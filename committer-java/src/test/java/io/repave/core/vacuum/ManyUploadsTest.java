package io.repave.core.vacuum;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.CommitKind;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A dead job may have left more uploads than a vacuum can hold in memory. */
class ManyUploadsTest {
  private static final long HOUR = 3_600_000;
  private static final int UPLOADS = 2_500;

  @Test
  void uploadsAreAbortedPageByPage() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    table.upload(
        table.open().begin(table.request(CommitKind.APPEND)),
        IntStream.range(0, UPLOADS).mapToObj(i -> "dt=" + i).toList());
    table.clock.advance(2 * HOUR);

    List<StoreCall> calls = new ArrayList<>();
    VacuumReport report = table.before((call, at) -> calls.add(call)).vacuum(HOUR);
    assertThat(report.uploads()).isEqualTo(UPLOADS);
    assertThat(table.store.openUploads()).isEmpty();

    // A page of uploads is aborted before the next one is listed.
    assertThat(longestRunOfAborts(calls)).isLessThanOrEqualTo(1_000);

    // Without uploads of dead jobs they are listed once.
    calls.clear();
    table.before((call, at) -> calls.add(call)).vacuum(HOUR);
    assertThat(calls.stream().filter(it -> it == StoreCall.LIST_UPLOADS)).hasSize(1);
  }

  /** The most aborts between two pages of uploads. */
  private static int longestRunOfAborts(List<StoreCall> calls) {
    int longest = 0;
    int run = 0;
    for (StoreCall call : calls) {
      run = call == StoreCall.LIST_UPLOADS ? 0 : run + (call == StoreCall.ABORT ? 1 : 0);
      longest = Math.max(longest, run);
    }
    return longest;
  }
}
