package io.repave.core.follow;

import static io.repave.core.follow.DeltaLogTest.assertFollowed;
import static io.repave.core.follow.DeltaLogTest.follow;
import static io.repave.core.follow.DeltaLogTest.followed;
import static io.repave.core.follow.DeltaLogTest.log;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import org.junit.jupiter.api.Test;

/** Readers of a Delta log refuse a date as the value of a column with times. */
class PartitionTimesTest {
  private static final String TIME = "dt=2026-11-23 03%3A00%3A00";

  @Test
  void aDateAmongTimesIsWrittenAsATime() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=2026-11-21", TIME);
    follow(table);
    assertFollowed(table);
    assertThat(log(table).all("add"))
        .extracting((JsonNode add) -> add.get("partitionValues").get("dt").asText())
        .containsExactlyInAnyOrder("2026-11-21 00:00:00", "2026-11-23 03:00:00");
  }

  @Test
  void aTimeAmongDatesStopsTheLogUntilItBeginsAnew() throws Exception {
    TestTable table = followed(Readers.SNAPSHOT);
    table.commit(CommitKind.APPEND, TIME);
    assertThat(log(table).version()).isZero();
    assertThatThrownBy(() -> table.open().sync())
        .hasMessageContaining("The column dt was date and is now timestamp.");
    table.open().unfollow(FollowerKind.DELTA);
    follow(table);
    assertFollowed(table);
  }
}
