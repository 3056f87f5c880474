package io.repave.spark.token;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.store.Location;
import io.repave.spark.write.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A program names the commits by which it tried a write before, and no others. */
class FailedAttemptsTest {
  private static final int MOST = 3;

  private record Rows(String text) implements Statement {
    @Override
    public boolean isSameAs(Statement other) {
      return equals(other);
    }
  }

  private static final FailedAttempts.Writes WRITES =
      new FailedAttempts.Writes("app-1", new Location("lake", "sales"), "token");
  private static final Rows ROWS = new Rows("rows");

  private final FailedAttempts attempts = new FailedAttempts(MOST);
  private final List<String> told = new ArrayList<>();

  private WriteToken.Use use(FailedAttempts.Writes writes, Rows rows, String commit) {
    return attempts.use(
        writes,
        rows,
        commit,
        new WriteToken.Use() {
          @Override
          public void committed() {
            told.add("committed " + commit);
          }

          @Override
          public void failed() {
            told.add("failed " + commit);
          }
        });
  }

  @Test
  void theSameWriteNamesEveryCommitThatFailed() {
    assertThat(attempts.of(WRITES, ROWS)).isEmpty();
    use(WRITES, ROWS, "one").failed();
    use(WRITES, ROWS, "two").failed();
    assertThat(attempts.of(WRITES, ROWS)).containsExactly("one", "two");
    use(WRITES, ROWS, "three").committed();
    assertThat(attempts.of(WRITES, ROWS)).isEmpty();
    assertThat(told).containsExactly("failed one", "failed two", "committed three");
  }

  @Test
  void aWriteWhoseStatementFailsAfterTheCommitNamesAllOfThemAgain() {
    use(WRITES, ROWS, "one").failed();
    WriteToken.Use repeating = use(WRITES, ROWS, "two");
    repeating.committed();
    repeating.failed();
    assertThat(attempts.of(WRITES, ROWS)).containsExactly("one", "two");
  }

  @Test
  void anotherWriteProgramTableOrTokenNamesNoneOfThem() {
    use(WRITES, ROWS, "one").failed();
    assertThat(attempts.of(WRITES, new Rows("others"))).isEmpty();
    for (FailedAttempts.Writes other :
        List.of(
            new FailedAttempts.Writes("app-2", WRITES.table(), "token"),
            new FailedAttempts.Writes("app-1", new Location("lake", "stock"), "token"),
            new FailedAttempts.Writes("app-1", WRITES.table(), "other"))) {
      assertThat(attempts.of(other, ROWS)).isEmpty();
      use(other, ROWS, "two").committed();
    }
    use(WRITES, new Rows("others"), "three").failed();
    assertThat(attempts.of(WRITES, ROWS)).containsExactly("one");
  }

  @Test
  void theOldestCommitsAreForgotten() {
    for (int commit = 1; commit <= MOST + 1; commit++) {
      use(WRITES, ROWS, "commit-" + commit).failed();
    }
    assertThat(attempts.of(WRITES, ROWS)).containsExactly("commit-2", "commit-3", "commit-4");
  }
}
