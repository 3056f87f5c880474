package io.repave.spark.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.repave.core.engine.CommitReport;
import io.repave.core.engine.CommitResult;
import io.repave.core.engine.CountedStore;
import io.repave.core.engine.Progress;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FileTotals;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.spark.command.TableJson;
import io.repave.spark.write.WriteTarget;
import io.repave.testing.InterceptingStore;
import io.repave.testing.MemoryObjectStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What operators see of every write: one line of the log, and the driver's metrics. */
class CommitMonitorTest {
  private static final Path PAGE =
      Path.of(System.getProperty("repave.basedir", "."), "../docs/monitoring.md");
  private static final FileTotals TOTALS = new FileTotals(3, 900, 2, 800, 0);

  private final CommitId own = new CommitId(UUID.randomUUID().toString(), 1_795_230_900_123L);
  private final CommitId other = new CommitId(UUID.randomUUID().toString(), 1_795_230_800_123L);
  private final WriteTarget target = WriteTarget.of(own.id(), "s3a://lake/sales", true);
  private final List<CommitLine> lines = new ArrayList<>();
  private final RunningCommits running = new RunningCommits();
  private long nowMillis = 1_000;

  private CommitMonitor monitor() {
    CommitMonitor monitor =
        new CommitMonitor(own.id(), Progress.SILENT, running, () -> nowMillis, lines::add);
    monitor.begins(new Location("lake", "sales"), CommitKind.DYNAMIC);
    return monitor;
  }

  private CommitResult committed() {
    Map<Step, Long> millis = Map.of(Step.RESERVE, 40L, Step.RETIRE, 7L);
    CommitReport report = new CommitReport(own, CommitKind.DYNAMIC, 7, TOTALS, Map.of(), millis);
    return new CommitResult(own, 7, TOTALS, Optional.of(report));
  }

  private JsonNode only() throws IOException {
    assertThat(lines).hasSize(1);
    String line = lines.get(0).toString();
    assertThat(line).startsWith("repave-commit {");
    return new ObjectMapper().readTree(line.substring("repave-commit ".length()));
  }

  @Test
  void aCommitIsOneLineWithEverythingThatItDidAndCost() throws IOException {
    CommitMonitor monitor = monitor();
    nowMillis += 250;
    monitor.committed(target, committed(), 2);
    assertThat(lines.get(0).toString())
        .isEqualTo(
            "repave-commit {\"commit\":\""
                + own.folder()
                + "\",\"table\":\"s3://lake/sales\",\"outcome\":\"committed\",\"version\":7,"
                + "\"kind\":\"dynamic\",\"partitions\":2,\"files-in\":3,\"bytes-in\":900,"
                + "\"files-out\":2,\"bytes-out\":800,\"requests\":0,\"retries\":0,\"waits\":0,"
                + "\"waited-millis\":0,\"helped\":0,\"job-millis\":250,\"millis\":{"
                + "\"record-uploads\":0,\"reserve\":40,\"plan\":0,\"complete-uploads\":0,"
                + "\"verify\":0,\"publish\":0,\"follow\":0,\"retire\":7,\"finish\":0,\"revert\":0}}");
  }

  @Test
  void aWriteWithAnEarlierTokenIsRepeatedAndChangedNothing() throws IOException {
    monitor().committed(target, new CommitResult(other, 3, FileTotals.NONE, Optional.empty()), 2);
    assertThat(only().get("outcome").asText()).isEqualTo("repeated");
    assertThat(only().get("commit").asText()).isEqualTo(other.folder());
    assertThat(only().get("partitions").asLong()).isZero();
  }

  @Test
  void everyWayToFailHasItsOutcome() throws IOException {
    Map<Exception, String> outcomes =
        Map.of(
            new CommitConflictException("x"), "conflict",
            new CommitFailedException("x"), "failed",
            new CommitStateUnknownException("x", new IOException()), "unknown",
            new InvalidConfigException("x"), "refused");
    for (Map.Entry<Exception, String> each : outcomes.entrySet()) {
      lines.clear();
      CommitMonitor monitor = monitor();
      monitor.failed(each.getKey());
      // Spark aborts a job whose commit threw: that is not a second end.
      monitor.aborted();
      assertThat(only().get("outcome").asText()).isEqualTo(each.getValue());
    }
    lines.clear();
    monitor().aborted();
    assertThat(only().get("outcome").asText()).isEqualTo("aborted");
  }

  @Test
  void timeSpentWaitingEndsWhenTheCommitGoesOn() throws IOException {
    CommitMonitor monitor = monitor();
    monitor.at(Step.RESERVE, 0, 0);
    monitor.waits(other, 8_000);
    nowMillis += 300;
    monitor.waits(own, 8_000);
    monitor.at(Step.RESERVE, 0, 0);
    nowMillis += 200;
    monitor.helps(other);
    monitor.at(Step.PLAN, 0, 0);
    nowMillis += 1_000;
    monitor.committed(target, committed(), 2);
    assertThat(only().get("waits").asLong()).isEqualTo(2);
    assertThat(only().get("waited-millis").asLong()).isEqualTo(500);
    assertThat(only().get("helped").asLong()).isEqualTo(1);
  }

  @Test
  void requestsWithoutAnAnswerCountAsRetries() throws IOException {
    CommitMonitor monitor = monitor();
    MemoryObjectStore memory = new MemoryObjectStore();
    CountedStore store = (CountedStore) monitor.observe(memory);
    store.put(new Location("lake", "a"), ByteBuffer.allocate(1));
    store.read(new Location("lake", "a"), 10);
    assertThat(store.requests()).isEqualTo(2);
    assertThat(store.unanswered()).isZero();
    CountedStore broken =
        new CountedStore(
            InterceptingStore.before(
                memory,
                (call, at) -> {
                  throw new StoreException(StoreException.Kind.valueOf(at.bucket()), "broken");
                }));
    for (StoreException.Kind kind : StoreException.Kind.values()) {
      Location at = new Location(kind.name(), "a");
      assertThatExceptionOfType(StoreException.class).isThrownBy(() -> broken.read(at, 10));
    }
    assertThat(broken.requests()).isEqualTo(5);
    assertThat(broken.unanswered()).isEqualTo(1);
  }

  @Test
  void metricsAddUpTheLines() {
    CommitMetrics metrics = new CommitMetrics();
    monitor().committed(target, committed(), 2);
    monitor().failed(new CommitConflictException("x"));
    lines.forEach(metrics::count);
    Function<String, Long> count = name -> metrics.metricRegistry().counter(name).getCount();
    assertThat(count.apply("commits.committed")).isEqualTo(1);
    assertThat(count.apply("commits.conflict")).isEqualTo(1);
    assertThat(count.apply("commits.failed")).isZero();
    assertThat(count.apply("files-in")).isEqualTo(3);
    assertThat(count.apply("partitions")).isEqualTo(2);
    assertThat(count.apply("millis.retire")).isEqualTo(7);
    assertThat(metrics.metricRegistry().timer("job-time").getCount()).isEqualTo(2);
  }

  @Test
  void withoutASparkContextThereAreNoMetrics() {
    assertThat(CommitMetrics.current()).isEmpty();
  }

  @Test
  void thePageNamesEveryMemberAndEveryMetric() throws IOException {
    String page = Files.readString(PAGE);
    monitor().committed(target, committed(), 2);
    List<String> names = new ArrayList<>(new CommitMetrics().metricRegistry().getNames());
    only().fieldNames().forEachRemaining(names::add);
    names.removeIf(name -> name.startsWith("millis.") || name.startsWith("commits."));
    for (Step step : Step.values()) {
      names.add(step.label());
    }
    for (CommitOutcome outcome : CommitOutcome.values()) {
      names.add(outcome.label());
    }
    assertThat(names).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
  }

  @Test
  void aCommitCanBeWatchedFromItsFirstStepUntilItIsOver() {
    CommitMonitor monitor = monitor();
    assertThat(running.all()).isEmpty();
    monitor.at(Step.COMPLETE_UPLOADS, 40, 100);
    assertThat(TableJson.running(running.all()).toString())
        .isEqualTo(
            "[{\"table\":\"s3://lake/sales\",\"commit\":\"%s\",\"step\":\"complete-uploads\",\"done\":40,\"total\":100}]"
                .formatted(own.id()));
    monitor.committed(target, committed(), 3);
    monitor.at(Step.FINISH, 0, 0);
    assertThat(running.all()).isEmpty();
    CommitMonitor failing = monitor();
    failing.at(Step.PLAN, 0, 0);
    assertThat(running.all()).hasSize(1);
    failing.failed(new IOException("lost"));
    assertThat(running.all()).isEmpty();
  }

  @Test
  void aStepOfAnotherThreadThatComesLateIsNotWatched() throws Exception {
    for (int round = 0; round < 500; round++) {
      CommitMonitor monitor = monitor();
      AtomicBoolean begun = new AtomicBoolean();
      Thread other =
          new Thread(
              () -> {
                begun.set(true);
                monitor.at(Step.COMPLETE_UPLOADS, 1, 2);
              });
      other.start();
      while (!begun.get()) {
        Thread.onSpinWait();
      }
      monitor.aborted();
      other.join();
    }
    assertThat(running.all()).isEmpty();
  }
}
