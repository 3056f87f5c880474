package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.engine.CountedStore;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.engine.Step;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.testing.TestTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A commit sends exactly the requests that docs/protocol.md §7 states. */
class RequestCountsTest {
  record Row(CommitKind kind, Readers readers, long gets, long puts, long lists, long deletes) {}

  static List<Row> rows() throws Exception {
    List<Row> rows = new ArrayList<>();
    boolean inTable = false;
    for (String line : Files.readAllLines(root().resolve("docs/protocol.md"))) {
      if (line.startsWith("| commit | readers |")) {
        inTable = true;
      } else if (inTable && !line.startsWith("|")) {
        break;
      } else if (inTable && !line.startsWith("|---")) {
        String[] cells = line.split("\\|");
        rows.add(
            new Row(
                CommitKind.valueOf(cells[1].strip().toUpperCase(Locale.ROOT)),
                Readers.valueOf(cells[2].strip().toUpperCase(Locale.ROOT)),
                Long.parseLong(cells[3].strip()),
                Long.parseLong(cells[4].strip()),
                Long.parseLong(cells[5].strip()),
                Long.parseLong(cells[6].strip())));
      }
    }
    return rows;
  }

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("docs")) ? here : here.getParent();
  }

  @Test
  void theTableHasARowForEachKindOfCommit() throws Exception {
    assertThat(rows()).hasSize(6);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aCommitCostsWhatTheProtocolSays(Row row) throws Exception {
    for (int files : new int[] {1, 100}) {
      Map<Request, Long> counts = requests(row, files);
      long completes = row.readers == Readers.LISTING ? files : 0;
      assertThat(counts.getOrDefault(Request.COMPLETE, 0L)).isEqualTo(completes);
      assertThat(counts.getOrDefault(Request.GET, 0L)).as("GET").isEqualTo(row.gets);
      assertThat(counts.getOrDefault(Request.PUT, 0L)).as("PUT").isEqualTo(row.puts);
      assertThat(counts.getOrDefault(Request.LIST, 0L)).as("LIST").isEqualTo(row.lists);
      assertThat(counts.getOrDefault(Request.DELETE, 0L)).as("DELETE").isEqualTo(row.deletes);
      assertThat(counts.keySet())
          .isSubsetOf(Request.GET, Request.PUT, Request.LIST, Request.DELETE, Request.COMPLETE);
      assertThat(row.gets + row.puts).as("all fixed requests").isLessThanOrEqualTo(10);
    }
  }

  /** The requests of a job that replaces what an earlier one wrote, without those of its tasks. */
  private static Map<Request, Long> requests(Row row, int files) throws Exception {
    TestTable table = new TestTable(row.readers);
    List<String> partitions = IntStream.range(0, files).mapToObj(i -> "p=" + i).toList();
    if (row.readers == Readers.LISTING) {
      table.commit(table.request(CommitKind.APPEND), partitions);
    } else {
      table.open().begin(table.request(CommitKind.APPEND));
    }
    Map<Request, Long> before = new TreeMap<>(table.counted.counts());
    table.commit(table.request(row.kind), partitions);
    Map<Request, Long> counts = new TreeMap<>(table.counted.counts());
    before.forEach((request, count) -> counts.merge(request, -count, Long::sum));
    counts.values().removeIf(count -> count == 0);
    return counts;
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"COMPLETE_UPLOADS", "PUBLISH"})
  void aRecoveryCompletesWhatIsOpenAndLooksUpTheRest(Step death) throws Exception {
    TestTable table = new TestTable();
    String[] partitions = IntStream.range(0, 100).mapToObj(i -> "p=" + i).toArray(String[]::new);
    table.unfinished(death, CommitKind.APPEND, partitions);
    Map<Request, Long> before = new TreeMap<>(table.counted.counts());
    table.open().recover();
    Map<Request, Long> counts = new TreeMap<>(table.counted.counts());
    before.forEach((request, count) -> counts.merge(request, -count, Long::sum));

    boolean open = death == Step.COMPLETE_UPLOADS;
    assertThat(counts).containsEntry(Request.LIST_UPLOADS, 1L);
    assertThat(counts.getOrDefault(Request.COMPLETE, 0L)).isEqualTo(open ? 100 : 0);
    // 1 for the commit's report, which shows whether the head is an older one.
    assertThat(counts.getOrDefault(Request.HEAD, 0L)).isEqualTo(open ? 1 : 101);
  }

  @Test
  void oldFilesAreDeletedInPagesOf250() throws Exception {
    TestTable table = new TestTable();
    List<String> many = IntStream.range(0, 501).mapToObj(i -> "p=1").toList();
    table.commit(table.request(CommitKind.APPEND), many);
    CountedStore counted = table.counted;
    table.commit(CommitKind.DYNAMIC, "p=1");
    assertThat(counted.counts().get(Request.DELETE)).isEqualTo(3);
  }

  @Test
  void aThousandSmallPartitionsAreFoundInOneListing() throws Exception {
    TestTable table = new TestTable();
    List<String> dense = IntStream.range(0, 900).mapToObj(i -> "p=%03d".formatted(i)).toList();
    table.commit(table.request(CommitKind.APPEND), dense);
    long before = table.counted.counts().get(Request.LIST);
    table.commit(table.request(CommitKind.DYNAMIC), dense);
    assertThat(table.counted.counts().get(Request.LIST)).isEqualTo(before + 1);
  }

  @Test
  void fewPartitionsOfALargeTableCostNoMoreThanOneListingEachAndOne() throws Exception {
    TestTable table = new TestTable();
    for (int p = 0; p < 40; p++) {
      for (int file = 0; file < 200; file++) {
        table.foreign("p=%02d/%03d.parquet".formatted(p, file));
      }
    }
    table.commit(CommitKind.APPEND, "p=03");
    long before = table.counted.counts().get(Request.LIST);
    table.commit(CommitKind.DYNAMIC, "p=03", "p=19", "p=37");
    assertThat(table.counted.counts().get(Request.LIST)).isEqualTo(before + 3);
    assertThat(table.files()).hasSize(37 * 200 + 3);
  }
}
