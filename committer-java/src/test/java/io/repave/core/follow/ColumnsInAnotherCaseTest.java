package io.repave.core.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.testing.DeltaReplay;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Delta does not tell columns apart by the case of their letters. */
class ColumnsInAnotherCaseTest {
  @Test
  void aPartitionColumnThatDiffersInCaseFromAColumnStopsTheLog() throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    DeltaLogTest.commit(
        table,
        "dt=1",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"DT\",\"type\":\"long\",\"nullable\":true,"
            + "\"metadata\":{}}]}");
    DeltaReplay log = DeltaReplay.of(table.store, table.paths);
    assertThat(log.version()).isEqualTo(-1);
  }

  /** Readers refuse the whole log, so the version before stays the newest that they see. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s",
        "{\"type\":\"array\",\"elementType\":%s,\"containsNull\":true}",
        "{\"type\":\"map\",\"keyType\":\"string\",\"valueType\":%s,\"valueContainsNull\":true}"
      })
  void fieldsOfAStructThatDifferInCaseStopTheLog(String type) throws Exception {
    TestTable table = new TestTable(Readers.SNAPSHOT);
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    DeltaLogTest.commit(table, "dt=1", columns(type, "a"));
    int before = DeltaReplay.of(table.store, table.paths).version();
    assertThat(before).isPositive();
    DeltaLogTest.commit(table, "dt=1", columns(type, "A"));
    DeltaLogTest.commit(table, "dt=1", columns(type, "a", "A"));
    assertThat(DeltaReplay.of(table.store, table.paths).version()).isEqualTo(before);
    TestTable both = new TestTable(Readers.SNAPSHOT);
    both.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    DeltaLogTest.commit(both, "dt=1", columns(type, "a", "A"));
    assertThat(DeltaReplay.of(both.store, both.paths).version()).isEqualTo(-1);
  }

  private static String columns(String type, String... names) {
    String struct = type.formatted(struct(names, "\"long\""));
    return struct(new String[] {"s"}, struct);
  }

  private static String struct(String[] names, String type) {
    return Stream.of(names)
        .map(
            it ->
                "{\"name\":\"%s\",\"type\":%s,\"nullable\":true,\"metadata\":{}}"
                    .formatted(it, type))
        .collect(Collectors.joining(",", "{\"type\":\"struct\",\"fields\":[", "]}"));
  }
}
