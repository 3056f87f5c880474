package io.repave.core.follow;

import static io.repave.core.follow.DeltaLogTest.assertFollowed;
import static io.repave.core.follow.DeltaLogTest.commit;
import static io.repave.core.follow.DeltaLogTest.followed;
import static io.repave.core.follow.DeltaLogTest.log;
import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.error.CommitConflictException;
import io.repave.core.ledger.FactsReader;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.OnceBefore;
import io.repave.testing.TestTable;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The records of adopted files do not say which columns they have, so the files are asked. */
class AdoptedColumnsTest {
  @ParameterizedTest
  @EnumSource
  void aLogOfANewTableHasTheColumnsOfTheFilesFromBefore(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.configure(it -> it.followers(List.of(FollowerKind.DELTA)));
    table.foreign("dt=2026-11-20/old.parquet");
    commit(table, asking(table), "dt=2026-11-21", named("id"));
    assertFollowed(table);
    assertThat(columns(table)).contains("old", "id");
  }

  @Test
  void aLogGetsTheColumnsOfFilesThatAreAdoptedLater() throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.foreign("dt=2026-11-20/old.parquet");
    asking(table).adopt();
    assertFollowed(table);
    assertThat(columns(table)).contains("old", "id");
    commit(table, "dt=2026-11-22", named("new"));
    assertThat(columns(table)).contains("old", "id", "new");
  }

  /** Such as a file in an archive class. */
  @Test
  void anAdoptedFileThatCannotBeReadAddsNoColumns() throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.foreign("dt=2026-11-19/archived.parquet");
    table.foreign("dt=2026-11-20/old.parquet");
    ObjectStore store =
        new InterceptingStore(table.counted) {
          @Override
          public Optional<byte[]> readRange(Location at, long from, int length)
              throws StoreException {
            if (at.key().endsWith("/archived.parquet")) {
              throw new StoreException(StoreException.Kind.INVALID, "archived");
            }
            return super.readRange(at, from, length);
          }
        };
    asking(table, store).adopt();
    assertFollowed(table);
    assertThat(columns(table)).contains("old", "id");
  }

  /** A process that stops before each call, while another one goes on and deletes the file. */
  @ParameterizedTest
  @MethodSource("calls")
  void aSlowProcessDoesNotForgetTheColumnsOfAFileThatIsGone(int number) throws Exception {
    TestTable table = followed(Readers.LISTING);
    table.foreign("dt=2026-11-20/old.parquet");
    int[] calls = {0};
    OnceBefore other =
        new OnceBefore(
            (call, at) -> ++calls[0] == number,
            () -> {
              table.clock.advance(3_600_000);
              asking(table).recover();
              asking(table).sync();
              table.commit(CommitKind.DYNAMIC, "dt=2026-11-20");
            });
    ObjectStore slow = InterceptingStore.before(table.counted, other);
    try {
      asking(table, slow).adopt();
    } catch (CommitConflictException conflict) {
      // The other process was faster.
    }
    table.open().recover();
    table.open().sync();
    String before = columns(table);
    commit(table, "dt=2026-11-22", named("new"));
    assertFollowed(table);
    String later = columns(table);
    assertThat(later).contains("id", "new");
    assertThat(later.contains("old")).isEqualTo(before.contains("old"));
  }

  static IntStream calls() {
    return IntStream.rangeClosed(1, 40);
  }

  private static String columns(TestTable table) {
    return log(table).metaData().get("schemaString").asText();
  }

  private static String named(String column) {
    return "{\"type\":\"struct\",\"fields\":[{\"name\":\""
        + column
        + "\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}";
  }

  /** A process for which files in the store have a column of their own. */
  private static Table asking(TestTable table) {
    return asking(table, table.counted);
  }

  private static Table asking(TestTable table, ObjectStore through) {
    FactsReader columns = end -> FileFacts.NONE.withSchema(Schema.of(named("old")));
    return table.open(table.process().facts(columns).ports().with(through));
  }
}
