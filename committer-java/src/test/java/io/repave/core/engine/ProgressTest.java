package io.repave.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CountedStore.Request;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.ObjectStore;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A commit reports its progress while it runs, and its figures at the end. */
class ProgressTest {
  private record Told(Step step, long done, long total) {}

  private static final List<Step> ALL =
      List.of(
          Step.RECORD_UPLOADS,
          Step.RESERVE,
          Step.PLAN,
          Step.COMPLETE_UPLOADS,
          Step.VERIFY,
          Step.PUBLISH,
          Step.RETIRE,
          Step.FINISH);

  private final List<Told> told = new ArrayList<>();
  private Map<Request, Long> beforeFinish = Map.of();

  /** A table whose progress is recorded, and each of whose requests takes 7 ms. */
  private Table listening(TestTable table) {
    Progress progress =
        (step, done, total) -> {
          told.add(new Told(step, done, total));
          if (step == Step.FINISH) {
            beforeFinish = table.counted.counts();
          }
        };
    ObjectStore slow =
        InterceptingStore.before(table.counted, (call, at) -> table.clock.advance(7));
    return table.open(table.process().progress(progress).ports().with(slow));
  }

  private CommitResult commit(TestTable table, CommitKind kind, int files) throws Exception {
    WriteTransaction job = listening(table).begin(table.request(kind));
    Ledger ledger = TestTable.ledger(table.upload(job, Collections.nCopies(files, "dt=1")));
    return job.commit(ledger);
  }

  private List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (Told each : told) {
      if (steps.isEmpty() || steps.get(steps.size() - 1) != each.step) {
        steps.add(each.step);
      }
    }
    return steps;
  }

  private List<Long> done(Step step) {
    return told.stream().filter(it -> it.step == step).map(Told::done).toList();
  }

  private List<Long> totals(Step step) {
    return told.stream().filter(it -> it.step == step).map(Told::total).distinct().toList();
  }

  @Test
  void theStepsAreReportedInOrderEachFromZeroToItsTotal() throws Exception {
    TestTable table = new TestTable();
    table.commit(table.request(CommitKind.APPEND), Collections.nCopies(600, "dt=1"));
    commit(table, CommitKind.DYNAMIC, 5);
    assertThat(steps()).isEqualTo(ALL);
    assertThat(done(Step.COMPLETE_UPLOADS)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
    assertThat(totals(Step.COMPLETE_UPLOADS)).containsExactly(5L);
    assertThat(done(Step.RETIRE)).containsExactly(0L, 250L, 500L, 600L);
    assertThat(totals(Step.RETIRE)).containsExactly(600L);
    assertThat(done(Step.VERIFY)).containsExactly(0L);
    assertThat(done(Step.RECORD_UPLOADS)).containsExactly(0L, 5L);
    assertThat(totals(Step.RECORD_UPLOADS)).containsExactly(5L);
    assertThat(done(Step.PLAN)).containsExactly(0L, 5L);
    assertThat(totals(Step.PLAN)).containsExactly(5L);
  }

  @Test
  void aCommitThatReplacesNothingReportsNoRetireStep() throws Exception {
    commit(new TestTable(), CommitKind.APPEND, 2);
    List<Step> expected = new ArrayList<>(ALL);
    expected.remove(Step.RETIRE);
    assertThat(steps()).isEqualTo(expected);
  }

  @Test
  void aRecoveryReportsTheStepsThatItRuns() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.DYNAMIC, "dt=1", "dt=1");
    listening(table).recover();
    assertThat(steps()).containsExactly(Step.VERIFY, Step.PUBLISH, Step.RETIRE, Step.FINISH);
    assertThat(done(Step.VERIFY)).containsExactly(0L, 1L, 2L);
    assertThat(totals(Step.VERIFY)).containsExactly(2L);
  }

  @ParameterizedTest
  @EnumSource(Readers.class)
  void theReportCountsTheCheckpointOfItsCommit(Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.checkpointEvery(5);
    for (int i = 0; i < 4; i++) {
      table.commit(CommitKind.APPEND, "dt=1");
    }
    Map<Request, Long> before = table.counted.counts();
    CommitReport report = commit(table, CommitKind.APPEND, 2).report().orElseThrow();
    Map<Request, Long> sent = new EnumMap<>(table.counted.counts());
    before.forEach((request, count) -> sent.merge(request, -count, Long::sum));
    // The report, `_SUCCESS` and the last swap of the head come after it.
    sent.merge(Request.PUT, -3L, Long::sum);
    sent.values().removeIf(count -> count == 0);
    assertThat(report.requests()).isEqualTo(sent);
    assertThat(table.head().checkpointVersion()).isEqualTo(5);
  }

  /** The last step writes the report, so the report cannot include the cost of that step. */
  @ParameterizedTest
  @CsvSource({
    "LISTING, APPEND",
    "LISTING, DYNAMIC",
    "LISTING, STATIC",
    "SNAPSHOT, APPEND",
    "SNAPSHOT, DYNAMIC"
  })
  void theReportCountsTheRequestsBeforeTheLastStep(Readers readers, CommitKind kind)
      throws Exception {
    TestTable table = new TestTable(readers);
    table.commit(table.request(CommitKind.APPEND), Collections.nCopies(300, "dt=1"));
    Map<Request, Long> before = table.counted.counts();
    CommitReport report = commit(table, kind, 4).report().orElseThrow();
    Map<Request, Long> sent = new EnumMap<>(beforeFinish);
    before.forEach((request, count) -> sent.merge(request, -count, Long::sum));
    sent.values().removeIf(count -> count == 0);
    assertThat(report.requests()).isEqualTo(sent);
    long requests = sent.values().stream().mapToLong(Long::longValue).sum();
    long begin = 1;
    long millis = report.millis().values().stream().mapToLong(Long::longValue).sum();
    assertThat(millis).isEqualTo(7 * (requests - begin));
    assertThat(report.millis().keySet()).isSubsetOf(ALL).doesNotContain(Step.FINISH);
  }

  @Test
  void theReportCountsFilesAndBytesAddedAndRemoved() throws Exception {
    TestTable table = new TestTable();
    table.commit(table.request(CommitKind.APPEND), Collections.nCopies(3, "dt=1"));
    CommitResult result = commit(table, CommitKind.DYNAMIC, 5);
    long bytes = TestTable.id(1).length();
    assertThat(result.totals().filesIn()).isEqualTo(5);
    assertThat(result.totals().bytesIn()).isEqualTo(5 * bytes);
    assertThat(result.totals().filesOut()).isEqualTo(3);
    assertThat(result.totals().bytesOut()).isEqualTo(3 * bytes);
    assertThat(result.report().orElseThrow().totals()).isEqualTo(result.totals());
  }

  @Test
  void theRecordedReportAndTheSuccessMarkerSayTheSame() throws Exception {
    TestTable table = new TestTable();
    table.commit(CommitKind.APPEND, "dt=1");
    CommitReport report = commit(table, CommitKind.DYNAMIC, 2).report().orElseThrow();
    byte[] recorded = table.content(table.paths.report(report.id()));
    assertThat(table.content(table.paths.root().resolve("_SUCCESS"))).isEqualTo(recorded);
    JsonNode json = new ObjectMapper().readTree(recorded);
    assertThat(json.get("version").asLong()).isEqualTo(report.version()).isEqualTo(2);
    assertThat(json.get("kind").asText()).isEqualTo("dynamic");
    Map<String, Long> requests = new HashMap<>();
    report
        .requests()
        .forEach(
            (request, count) ->
                requests.put(request.name().toLowerCase(Locale.ROOT).replace('_', '-'), count));
    Map<String, Long> written = new HashMap<>();
    json.get("requests")
        .fields()
        .forEachRemaining(it -> written.put(it.getKey(), it.getValue().asLong()));
    assertThat(written).isEqualTo(requests);
    for (Step step : report.millis().keySet()) {
      assertThat(json.get("millis").get(step.label()).asLong())
          .isEqualTo(report.millis().get(step));
    }
  }
}
