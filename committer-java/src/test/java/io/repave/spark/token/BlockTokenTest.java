package io.repave.spark.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;
import io.repave.hadoop.OptionBlock;
import io.repave.spark.write.Statement;
import java.util.Map;
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

  private final BlockToken token = new BlockToken();

  private void refuses(Rows write, String text) {
    assertThatThrownBy(() -> token.begin(SALES, write))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(text);
  }

  @Test
  void aSecondWriteToTheTableIsRefusedAlsoWhileTheFirstIsOpen() throws Exception {
    WriteToken.Use use = token.begin(SALES, ROWS);
    refuses(ROWS, "a token names one write");
    use.committed();
    refuses(ROWS, "a token names one write");
    refuses(OTHERS, "a token names one write");
    token.begin(STOCK, OTHERS).committed();
  }

  @Test
  void afterAFailureOnlyTheSameWriteMayFollow() throws Exception {
    token.begin(SALES, ROWS).failed();
    refuses(OTHERS, "is not the same write");
    token.begin(SALES, ROWS).failed();
    token.begin(SALES, ROWS).committed();
    refuses(ROWS, "a token names one write");
  }

  @Test
  void aWriteWhoseStatementFailsAfterTheCommitMayBeTriedAgain() throws Exception {
    WriteToken.Use use = token.begin(SALES, ROWS);
    use.committed();
    use.failed();
    refuses(OTHERS, "is not the same write");
    token.begin(SALES, ROWS).committed();
  }

  @Test
  void aBlockOpenedAgainMayTryAgain() throws Exception {
    OptionBlock first = OptionBlock.open(Map.of("repave.token", "x"), null);
    BlockToken.of(first).begin(SALES, ROWS).failed();
    first.close();
    OptionBlock second = OptionBlock.open(Map.of("repave.token", "x"), null);
    BlockToken.of(second).begin(SALES, OTHERS).committed();
    assertThat(BlockToken.of(second)).isSameAs(BlockToken.of(second));
    second.close();
  }
}
