package io.repave.spark.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.store.Location;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.Option;

/** A statement of Spark may fail after its commit, and the next write to the table learns it. */
@Timeout(30)
class StatementEndsTest {
  private static final Location SALES = new Location("lake", "sales");
  private static final Duration LONG = Duration.ofMinutes(5);

  private final Set<Long> running = ConcurrentHashMap.newKeySet();
  private final List<String> told = new ArrayList<>();
  private final StatementEnds ends = new StatementEnds(running::contains, LONG);

  private WriteToken.Use write(StatementEnds by, Long... executions) {
    running.addAll(List.of(executions));
    return by.use(
        SALES,
        List.of(executions),
        new WriteToken.Use() {
          @Override
          public void committed() {
            told.add("committed");
          }

          @Override
          public void failed() {
            told.add("failed");
          }
        });
  }

  private void end(long execution, Option<String> error) {
    ends.onOtherEvent(new SparkListenerSQLExecutionEnd(execution, 0, error));
    running.remove(execution);
  }

  @Test
  void aWriteWhoseStatementFailsAfterItsCommitIsToldOnce() throws Exception {
    write(ends, 1L, 2L).committed();
    end(2, Option.apply("metastore"));
    end(1, Option.apply("metastore"));
    ends.awaitLast(SALES);
    assertThat(told).containsExactly("committed", "failed");
  }

  @Test
  void aWriteWhoseStatementEndsWithoutErrorIsToldNothing() throws Exception {
    write(ends, 1L).committed();
    end(1, Option.apply(""));
    ends.awaitLast(SALES);
    assertThat(told).containsExactly("committed");
  }

  @Test
  void aCommandThatFailsAroundItsInsertHasFailed() throws Exception {
    write(ends, 1L, 2L).committed();
    end(2, Option.apply(""));
    end(1, Option.apply("metastore"));
    ends.awaitLast(SALES);
    assertThat(told).containsExactly("committed", "failed");
  }

  @Test
  void theNextWriteWaitsForTheEventOfAnExecutionThatIsOver() throws Exception {
    write(ends, 1L).committed();
    running.remove(1L);
    AtomicBoolean posted = new AtomicBoolean();
    Thread bus =
        new Thread(
            () -> {
              posted.set(true);
              end(1, Option.apply("metastore"));
            });
    bus.start();
    ends.awaitLast(SALES);
    assertThat(posted).isTrue();
    assertThat(told).containsExactly("committed", "failed");
    bus.join();
  }

  @Test
  void anInterruptEndsTheWait() {
    write(ends, 1L).committed();
    running.remove(1L);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> ends.awaitLast(SALES)).isInstanceOf(InterruptedException.class);
  }

  /** The statement may have several inserts, and the next write may be one of them. */
  @Test
  void aStatementThatStillRunsIsNotWaitedFor() throws Exception {
    write(ends, 1L).committed();
    ends.awaitLast(SALES);
    assertThat(told).containsExactly("committed");
  }

  @Test
  void anEventThatNeverComesEndsTheWaitAfterAWhile() throws Exception {
    StatementEnds impatient = new StatementEnds(running::contains, Duration.ofMillis(1));
    write(impatient, 1L).committed();
    running.remove(1L);
    impatient.awaitLast(SALES);
    assertThat(told).containsExactly("committed");
  }

  /** A thread of a pool remembers the execution in which it was started. */
  @Test
  void anExecutionThatWasOverBeforeTheCommitIsNotWaitedFor() throws Exception {
    WriteToken.Use use = write(ends, 1L, 2L);
    running.remove(1L);
    use.committed();
    end(2, Option.apply(""));
    ends.awaitLast(SALES);
    assertThat(told).containsExactly("committed");
  }

  @Test
  void aWriteThatFailsBeforeItsCommitIsToldAtOnce() throws Exception {
    write(ends, 1L).failed();
    end(1, Option.apply("tasks"));
    ends.awaitLast(SALES);
    assertThat(told).containsExactly("failed");
  }
}
