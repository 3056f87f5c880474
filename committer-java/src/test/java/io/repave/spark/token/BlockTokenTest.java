package io.repave.spark.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.OptionBlock;
import io.repave.spark.write.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The token of a block names one write to each table, however often that write is tried. */
class BlockTokenTest {
  private static final Location SALES = new Location("lake", "sales");
  private static final Location STOCK = new Location("lake", "stock");

  private record Rows(String text) implements Statement {
    @Override
    public boolean isSameAs(Statement other) {
      return equals(other);
    }
  }

  private static final Rows ROWS = new Rows("rows");
  private static final Rows OTHERS = new Rows("others");

  /** A write outside of an execution. */
  private static final long NONE = -1;

  private final Set<Long> running = new HashSet<>();
  private final BlockToken token = new BlockToken(running::contains);

  private void refuses(Rows write, String text) {
    assertThatThrownBy(() -> token.begin(SALES, NONE, write))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(text);
  }

  @Test
  void aSecondWriteToTheTableIsRefusedAlsoWhileTheFirstIsOpen() throws Exception {
    WriteToken.Use use = token.begin(SALES, NONE, ROWS);
    refuses(ROWS, "a token names one write");
    use.committed();
    refuses(ROWS, "a token names one write");
    refuses(OTHERS, "a token names one write");
    token.begin(STOCK, NONE, OTHERS).committed();
  }

  @Test
  void afterAFailureBeforeTheWriteBeganOnlyTheSameWriteMayFollow() throws Exception {
    token.plan(SALES, 1, ROWS);
    token.plan(SALES, 2, OTHERS);
    running.add(2L);
    assertThatThrownBy(() -> token.begin(SALES, 2, OTHERS))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("is not the same write");
    token.begin(STOCK, 2, OTHERS).committed();
    running.clear();
    token.plan(SALES, 3, ROWS);
    running.add(3L);
    token.begin(SALES, 3, ROWS).committed();
  }

  @Test
  void afterAFailureOnlyTheSameWriteMayFollow() throws Exception {
    token.begin(SALES, NONE, ROWS).failed();
    refuses(OTHERS, "is not the same write");
    token.begin(SALES, NONE, ROWS).failed();
    token.begin(SALES, NONE, ROWS).committed();
    refuses(ROWS, "a token names one write");
  }

  @Test
  void aWriteWhoseStatementFailsAfterTheCommitMayBeTriedAgain() throws Exception {
    WriteToken.Use use = token.begin(SALES, NONE, ROWS);
    use.committed();
    use.failed();
    refuses(OTHERS, "is not the same write");
    token.begin(SALES, NONE, ROWS).committed();
  }

  @Test
  void aBlockOpenedAgainMayTryAgain() throws Exception {
    OptionBlock first = OptionBlock.open(Map.of("repave.token", "x"), null);
    BlockToken.of(first).begin(SALES, NONE, ROWS).failed();
    first.close();
    OptionBlock second = OptionBlock.open(Map.of("repave.token", "x"), null);
    BlockToken.of(second).begin(SALES, NONE, OTHERS).committed();
    assertThat(BlockToken.of(second)).isSameAs(BlockToken.of(second));
    second.close();
  }
}
