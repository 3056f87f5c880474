package io.repave.spark.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.spark.write.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each write of a run gets its own token, which is the same when the run is repeated. */
class RunTokensTest {
  private static final Location SALES = new Location("lake", "sales");
  private static final Location STOCK = new Location("lake", "stock");

  private final RunTokens tokens = new RunTokens(3);

  private record Rows(String text) implements Statement {
    @Override
    public boolean isSameAs(Statement other) {
      return equals(other);
    }
  }

  private static final Rows ROWS = new Rows("rows");
  private static final Rows OTHERS = new Rows("others");

  private static String write(RunTokens tokens, Location table) throws Exception {
    RunTokens.Begun begun = tokens.begin(of("run 7", table), ROWS);
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
    assertThat(tokens.begin(of("run 8", SALES), ROWS).token()).isEqualTo("run 8/1");
  }

  @Test
  void aRunThatIsRepeatedAfterAnyWriteGetsTheSameTokens() throws Exception {
    List<Location> writes = List.of(SALES, STOCK, SALES, SALES, STOCK);
    List<String> first = new ArrayList<>();
    for (Location table : writes) {
      first.add(write(tokens, table));
    }
    for (int died = 0; died < writes.size(); died++) {
      RunTokens application = new RunTokens(3);
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
    assertThat(tokens.begin(again, ROWS).token()).isEqualTo("run 7/1");
  }

  @Test
  void aWriteThatFailedLeavesItsNumberToTheNext() throws Exception {
    RunTokens.Begun failed = tokens.begin(of("run 7", SALES), ROWS);
    failed.failed();
    assertThat(tokens.begin(of("run 7", SALES), ROWS).token()).isEqualTo(failed.token());
  }

  @Test
  void onlyTheSameWriteMayFollowOneThatFailed() throws Exception {
    RunTokens.Begun failed = tokens.begin(of("run 7", SALES), ROWS);
    failed.failed();
    for (int again = 0; again < 2; again++) {
      refuses("End the application after a failed write");
    }
    assertThat(tokens.begin(of("run 7", STOCK), OTHERS).token()).isEqualTo("run 7/1");
    RunTokens.Begun retry = tokens.begin(of("run 7", SALES), ROWS);
    assertThat(retry.token()).isEqualTo(failed.token());
    retry.committed();
    assertThat(tokens.begin(of("run 7", SALES), OTHERS).token()).isEqualTo("run 7/2");
  }

  @Test
  void aStatementThatFailsAfterItsCommitIsTriedAgainWithTheSameToken() throws Exception {
    assertThat(write(tokens, SALES)).isEqualTo("run 7/1");
    RunTokens.Begun begun = tokens.begin(of("run 7", SALES), ROWS);
    begun.committed();
    begun.failed();
    refuses("has failed after its commit");
    RunTokens.Begun retry = tokens.begin(of("run 7", SALES), ROWS);
    assertThat(retry.token()).isEqualTo("run 7/2");
    retry.failed();
    refuses("has failed after its commit");
    assertThat(write(tokens, SALES)).isEqualTo("run 7/2");
    assertThat(tokens.begin(of("run 7", SALES), OTHERS).token()).isEqualTo("run 7/3");
  }

  @Test
  void aFailureThatBecomesKnownAfterTheNextWriteBeganChangesNoNumber() throws Exception {
    RunTokens.Begun first = tokens.begin(of("run 7", SALES), ROWS);
    first.committed();
    RunTokens.Begun second = tokens.begin(of("run 7", SALES), OTHERS);
    first.failed();
    second.committed();
    first.failed();
    assertThat(second.token()).isEqualTo("run 7/2");
    assertThat(write(tokens, SALES)).isEqualTo("run 7/3");
  }

  private void refuses(String text) {
    assertThatThrownBy(() -> tokens.begin(of("run 7", SALES), OTHERS))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(text);
  }

  @Test
  void twoWritesToATableAtOnceAreRefused() throws Exception {
    tokens.begin(of("run 7", SALES), ROWS);
    assertThatThrownBy(() -> tokens.begin(of("run 7", SALES), ROWS))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("one after the other");
    tokens.begin(of("run 7", STOCK), ROWS);
    tokens.begin(of("run 8", SALES), ROWS);
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
