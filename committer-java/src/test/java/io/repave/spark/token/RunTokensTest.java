package io.repave.spark.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.spark.write.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each write of a run gets its own token, which is the same when the run is repeated. */
class RunTokensTest {
  private static final Location SALES = new Location("lake", "sales");
  private static final Location STOCK = new Location("lake", "stock");

  /** A write outside of an execution. */
  private static final long NONE = -1;

  private final Set<Long> running = new HashSet<>();
  private final RunTokens tokens = new RunTokens(3, running::contains);

  private record Rows(String text) implements Statement {
    @Override
    public boolean isSameAs(Statement other) {
      return equals(other);
    }
  }

  private static final Rows ROWS = new Rows("rows");
  private static final Rows OTHERS = new Rows("others");

  private static String write(RunTokens tokens, Location table) throws Exception {
    RunTokens.Begun begun = tokens.begin(of("run 7", table), NONE, ROWS);
    begun.committed();
    return begun.token();
  }

  private static RunTokens.Writes of(String run, Location table) {
    return new RunTokens.Writes("application 1", run, table);
  }

  @Test
  void theWritesToATableAreNumberedAndTablesDoNotDisturbEachOther() throws Exception {
    assertThat(write(tokens, SALES)).isEqualTo("run 7/1");
    assertThat(write(tokens, STOCK)).isEqualTo("run 7/1");
    assertThat(write(tokens, SALES)).isEqualTo("run 7/2");
    assertThat(tokens.begin(of("run 8", SALES), NONE, ROWS).token()).isEqualTo("run 8/1");
  }

  @Test
  void aRunThatIsRepeatedAfterAnyWriteGetsTheSameTokens() throws Exception {
    List<Location> writes = List.of(SALES, STOCK, SALES, SALES, STOCK);
    List<String> first = new ArrayList<>();
    for (Location table : writes) {
      first.add(write(tokens, table));
    }
    for (int died = 0; died < writes.size(); died++) {
      RunTokens application = new RunTokens(3, running::contains);
      List<String> again = new ArrayList<>();
      for (Location table : writes) {
        again.add(write(application, table));
      }
      assertThat(again).isEqualTo(first);
    }
  }

  /** Python keeps the JVM over {@code spark.stop()}. */
  @Test
  void anotherApplicationOfTheSameJvmBeginsWithTheFirstNumber() throws Exception {
    assertThat(write(tokens, SALES)).isEqualTo("run 7/1");
    RunTokens.Writes again = new RunTokens.Writes("application 2", "run 7", SALES);
    assertThat(tokens.begin(again, NONE, ROWS).token()).isEqualTo("run 7/1");
  }

  @Test
  void aWriteThatFailedLeavesItsNumberToTheNext() throws Exception {
    RunTokens.Begun failed = tokens.begin(of("run 7", SALES), NONE, ROWS);
    failed.failed();
    assertThat(tokens.begin(of("run 7", SALES), NONE, ROWS).token()).isEqualTo(failed.token());
  }

  @Test
  void onlyTheSameWriteMayFollowOneThatFailed() throws Exception {
    RunTokens.Begun failed = tokens.begin(of("run 7", SALES), NONE, ROWS);
    failed.failed();
    for (int again = 0; again < 2; again++) {
      refuses("End the application after a failed write");
    }
    assertThat(tokens.begin(of("run 7", STOCK), NONE, OTHERS).token()).isEqualTo("run 7/1");
    RunTokens.Begun retry = tokens.begin(of("run 7", SALES), NONE, ROWS);
    assertThat(retry.token()).isEqualTo(failed.token());
    retry.committed();
    assertThat(tokens.begin(of("run 7", SALES), NONE, OTHERS).token()).isEqualTo("run 7/2");
  }

  @Test
  void aStatementThatFailsAfterItsCommitIsTriedAgainWithTheSameToken() throws Exception {
    assertThat(write(tokens, SALES)).isEqualTo("run 7/1");
    RunTokens.Begun begun = tokens.begin(of("run 7", SALES), NONE, ROWS);
    begun.committed();
    begun.failed();
    refuses("has failed after its commit");
    RunTokens.Begun retry = tokens.begin(of("run 7", SALES), NONE, ROWS);
    assertThat(retry.token()).isEqualTo("run 7/2");
    retry.failed();
    refuses("has failed after its commit");
    assertThat(write(tokens, SALES)).isEqualTo("run 7/2");
    assertThat(tokens.begin(of("run 7", SALES), NONE, OTHERS).token()).isEqualTo("run 7/3");
  }

  @Test
  void aFailureThatBecomesKnownAfterTheNextWriteBeganChangesNoNumber() throws Exception {
    RunTokens.Begun first = tokens.begin(of("run 7", SALES), NONE, ROWS);
    first.committed();
    RunTokens.Begun second = tokens.begin(of("run 7", SALES), NONE, OTHERS);
    first.failed();
    second.committed();
    first.failed();
    assertThat(second.token()).isEqualTo("run 7/2");
    assertThat(write(tokens, SALES)).isEqualTo("run 7/3");
  }

  private void refuses(String text) {
    refuses(NONE, OTHERS, text);
  }

  private void plan(long execution, Rows write) {
    running.add(execution);
    tokens.plan(of("run 7", SALES), execution, write);
  }

  private RunTokens.Begun begin(long execution, Rows write) throws Exception {
    return tokens.begin(of("run 7", SALES), execution, write);
  }

  private void refuses(long execution, Rows write, String text) {
    assertThatThrownBy(() -> begin(execution, write))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(text);
  }

  /** ROWS fails before it begins, OTHERS is refused, and ROWS is tried again. */
  private void failBeforeItBeginsAndTryAgain() throws Exception {
    plan(1, ROWS);
    running.remove(1L);
    plan(2, OTHERS);
    refuses(2, OTHERS, "End the application after a failed write");
    running.remove(2L);
    plan(3, ROWS);
    RunTokens.Begun retry = begin(3, ROWS);
    assertThat(retry.token()).isEqualTo("run 7/1");
    retry.committed();
    running.remove(3L);
  }

  @Test
  void noOtherWriteMayFollowOneThatFailedBeforeItBegan() throws Exception {
    failBeforeItBeginsAndTryAgain();
    assertThat(tokens.begin(of("run 7", STOCK), NONE, OTHERS).token()).isEqualTo("run 7/1");
    assertThat(tokens.begin(of("run 8", SALES), NONE, OTHERS).token()).isEqualTo("run 8/1");
  }

  @Test
  void aRefusedWriteMustNotBeLeftOutEither() throws Exception {
    failBeforeItBeginsAndTryAgain();
    // When the run is repeated, OTHERS has the second number.
    plan(4, ROWS);
    refuses(4, ROWS, "End the application after a failed write");
    running.remove(4L);
    plan(5, OTHERS);
    assertThat(begin(5, OTHERS).token()).isEqualTo("run 7/2");
  }

  @Test
  void aWriteThatFailedManyTimesBeforeItBeganIsForgottenWhenItSucceeds() throws Exception {
    for (long execution = 1; execution < 1_000; execution++) {
      plan(execution, ROWS);
      running.remove(execution);
    }
    plan(1_000, ROWS);
    begin(1_000, ROWS).committed();
    running.clear();
    plan(1_001, OTHERS);
    assertThat(begin(1_001, OTHERS).token()).isEqualTo("run 7/2");
  }

  @Test
  void theFirstFailureIsKnownAfterManyOthers() throws Exception {
    for (long execution = 1; execution < 1_000; execution++) {
      plan(execution, new Rows("rows " + execution));
      running.remove(execution);
    }
    Rows second = new Rows("rows 2");
    plan(1_000, second);
    refuses(1_000, second, "End the application after a failed write");
    running.clear();
    plan(1_001, new Rows("rows 1"));
    assertThat(begin(1_001, new Rows("rows 1")).token()).isEqualTo("run 7/1");
  }

  @Test
  void aWriteThatSparkStillPreparesIsAtTheSameTime() throws Exception {
    plan(1, ROWS);
    plan(2, OTHERS);
    refuses(2, OTHERS, "one after the other");
    running.remove(2L);
    // It was planned first, so the failure of the other one does not concern it.
    begin(1, ROWS).committed();
  }

  @Test
  void theInsertsOfAStatementAreNumberedInTheirOrder() throws Exception {
    plan(1, ROWS);
    plan(1, OTHERS);
    begin(1, ROWS).committed();
    RunTokens.Begun second = begin(1, OTHERS);
    assertThat(second.token()).isEqualTo("run 7/2");
    second.committed();
    running.clear();
    plan(2, ROWS);
    assertThat(begin(2, ROWS).token()).isEqualTo("run 7/3");
  }

  @Test
  void aRepeatedStatementWhoseFirstInsertBeganBeforeBeginsItsInsertsInAnyOrder() throws Exception {
    plan(1, ROWS);
    plan(1, OTHERS);
    begin(1, ROWS).failed();
    running.clear();
    plan(2, ROWS);
    plan(2, OTHERS);
    begin(2, ROWS).committed();
    running.clear();
    // OTHERS has failed twice before it began.
    refuses(NONE, new Rows("third"), "End the application after a failed write");
    plan(3, OTHERS);
    assertThat(begin(3, OTHERS).token()).isEqualTo("run 7/2");
  }

  @Test
  void aWriteWhoseFilesAreNotKnownIsFoundByItsPlace() throws Exception {
    Statement unknown = other -> false;
    running.add(1L);
    tokens.plan(of("run 7", SALES), 1, unknown);
    tokens.begin(of("run 7", SALES), 1, unknown).committed();
    running.clear();
    plan(2, ROWS);
    assertThat(begin(2, ROWS).token()).isEqualTo("run 7/2");
  }

  @Test
  void aWriteWithoutAnExecutionFollowsNoFailedOne() {
    plan(1, ROWS);
    running.remove(1L);
    refuses(NONE, OTHERS, "End the application after a failed write");
  }

  @Test
  void twoWritesToATableAtOnceAreRefused() throws Exception {
    tokens.begin(of("run 7", SALES), NONE, ROWS);
    assertThatThrownBy(() -> tokens.begin(of("run 7", SALES), NONE, ROWS))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("one after the other");
    tokens.begin(of("run 7", STOCK), NONE, ROWS);
    tokens.begin(of("run 8", SALES), NONE, ROWS);
  }

  @Test
  void noNumberIsEverForgotten() throws Exception {
    for (int table = 0; table < 3; table++) {
      write(tokens, new Location("lake", "t" + table));
    }
    assertThatThrownBy(() -> write(tokens, SALES)).isInstanceOf(InvalidConfigException.class);
    assertThat(write(tokens, new Location("lake", "t0"))).isEqualTo("run 7/2");
  }
}
