package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.CommitRequest;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Any sequence of jobs, each of which may die at any of its calls and be recovered by a process
 * that dies too, leaves the rows that a map from partitions to rows predicts.
 *
 * <p>A failure prints its jobs and its seed. jqwik stores the seed in its database under {@code
 * target}, so the next run replays it first: {@code mvn -pl committer-java test
 * -Dtest=RandomJobsTest}. {@code @Property(seed = "…")} replays it anywhere.
 */
class RandomJobsTest {
  private static final List<String> PARTITIONS = List.of("", "p=1", "p=1/h=2", "p=10", "p=2");

  /**
   * A job: {@code death} and {@code again} are the calls before which it and its recovery die, 0
   * for none; {@code token} is "" for none.
   */
  record Job(
      CommitKind kind, String scope, List<String> written, String token, int death, int again) {}

  @Provide
  Arbitrary<List<Job>> jobs() {
    Arbitrary<List<String>> written =
        Arbitraries.frequencyOf(
            Tuple.of(1, Arbitraries.of(PARTITIONS).list().ofMaxSize(4)),
            Tuple.of(3, Arbitraries.of(PARTITIONS.subList(1, 5)).list().ofMaxSize(4)));
    Arbitrary<Integer> call =
        Arbitraries.frequencyOf(
            Tuple.of(1, Arbitraries.just(0)), Tuple.of(2, Arbitraries.integers().between(1, 30)));
    return Combinators.combine(
            Arbitraries.of(CommitKind.APPEND, CommitKind.DYNAMIC, CommitKind.STATIC),
            Arbitraries.of("", "p=1", "p=10"),
            written,
            Arbitraries.of("", "", "run-1", "run-2"),
            call,
            call)
        .as(RandomJobsTest::job)
        .list()
        .ofMinSize(1)
        .ofMaxSize(7);
  }

  /** A static overwrite writes only into the folder that it replaces. */
  private static Job job(
      CommitKind kind, String scope, List<String> written, String token, int death, int again) {
    List<String> fitting =
        kind == CommitKind.STATIC && !scope.isEmpty()
            ? written.stream().map(partition -> scope + "/x" + partition).toList()
            : written;
    // A token names one write. Repave refuses it for another kind of write or another folder.
    String own =
        token.isEmpty() ? "" : token + "-" + kind + (kind == CommitKind.STATIC ? scope : "");
    return new Job(kind, scope, fitting, own, death, again);
  }

  @Property(tries = 1_500)
  void jobsThatDieAnywhereLeaveTheRowsOfThoseThatWereDecided(
      @ForAll("jobs") List<Job> jobs, @ForAll Readers readers) throws Exception {
    TestTable table = new TestTable(readers);
    table.checkpointEvery(3);
    RowModel model = RowModel.empty();
    table.foreign("p=1/old.parquet");
    model.add("p=1", "\u0001");
    Set<String> done = new HashSet<>();
    for (Job job : jobs) {
      CommitRequest request = request(table, job);
      RowModel after =
          done.contains(job.token)
              ? model
              : model.after(job.kind, job.scope, job.written, request.commit());
      boolean died = false;
      try {
        died = dies(table, job, request);
      } catch (InvalidConfigException refused) {
        // An overwrite that wrote no file may be a drop that a repeated program makes again.
        assertThat(refused).hasMessageContaining("which was made without a token");
        assertThat(done).as("the tokens of published jobs").contains(job.token);
      }
      assertThat(table.open().head().map(head -> head.active()).orElse(List.of())).isEmpty();
      RowModel now = rows(table);
      if (died) {
        assertThat(now).as("rows after %s died", job).isIn(model, after);
      } else {
        assertThat(now).as("rows after %s", job).isEqualTo(after);
      }
      model = now;
      if (!job.token.isEmpty() && isPublished(table, request.commit())) {
        assertThat(done.add(job.token)).as("%s was done before %s", job.token, job).isTrue();
      }
    }
    if (table.open().head().isEmpty()) {
      // A vacuum leaves uploads of a first job that died until the table has a head.
      table.open().adopt();
    }
    table.clock.advance(1);
    table.open().vacuum(0);
    assertThat(rows(table)).as("rows after a vacuum").isEqualTo(model);
    assertThat(table.store.openUploads()).isEmpty();
  }

  private static boolean isPublished(TestTable table, String commit) throws Exception {
    return table.history().stream().anyMatch(it -> it.id().id().equals(commit));
  }

  private static CommitRequest request(TestTable table, Job job) {
    String commit = table.request(job.kind).commit();
    List<String> scope = job.kind == CommitKind.STATIC ? List.of(job.scope) : List.of();
    return new CommitRequest(commit, job.kind, scope, job.token, "_SUCCESS");
  }

  /** Runs a job and the recoveries that it needs. True when the job died. */
  private static boolean dies(TestTable table, Job job, CommitRequest request) throws Exception {
    try {
      WriteTransaction running = table.through(table.dyingBefore(job.death)).begin(request);
      Ledger ledger = TestTable.ledger(table.upload(running, job.written));
      running.commit(ledger);
      return false;
    } catch (ProcessDied driver) {
      try {
        table.through(table.dyingBefore(job.again)).recover();
      } catch (ProcessDied recoverer) {
        table.open().recover();
      }
      return true;
    }
  }

  /** The rows that a reader of this table sees. */
  private static RowModel rows(TestTable table) throws IOException, InterruptedException {
    RowModel rows = RowModel.empty();
    if (table.settings().readersOfNewTable() == Readers.LISTING || table.open().head().isEmpty()) {
      for (String key : table.files()) {
        add(rows, table, key);
      }
      return rows;
    }
    var head = table.head();
    var snapshot = table.open().snapshot(head, head.version());
    for (String partition : snapshot.partitions()) {
      for (var file : snapshot.files(partition)) {
        add(rows, table, partition.isEmpty() ? file.name() : partition + "/" + file.name());
      }
    }
    return rows;
  }

  private static void add(RowModel rows, TestTable table, String key) {
    Location at = table.paths.root().resolve(key);
    HeldObject object = table.store.objects().get(at);
    assertThat(object).as("the live file %s", at).isNotNull();
    int slash = key.lastIndexOf('/');
    rows.add(
        slash < 0 ? "" : key.substring(0, slash),
        new String(object.content(), StandardCharsets.UTF_8));
  }
}
