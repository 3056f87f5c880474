package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.testing.HeldObject;
import io.repave.testing.StoreCall;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Vacuum removes the ledger of a commit, and the head's log still names its token. Whose write it
 * was cannot be found out any more: a write that changes nothing could lose its rows.
 */
class ForgottenTokenTest {
  private static final String TOKEN = "daily/24";
  private static final long DAY = 86_400_000;

  private final TestTable table = new TestTable();
  private Location ledger;

  @BeforeEach
  void writeOnce() throws Exception {
    table.configure(it -> it.historyRetentionMillis(10 * DAY));
    table.checkpointEvery(2);
    ledger = table.paths.uploads(table.commit(tokened("app-1"), List.of("dt=1")).by());
    for (int job = 0; job < 4; job++) {
      table.clock.advance(20 * DAY);
      table.commit(CommitKind.APPEND, "dt=2");
    }
  }

  private CommitRequest tokened(String application) {
    return table.request(CommitKind.APPEND, TOKEN, application);
  }

  private void endHistory() throws Exception {
    table.open().vacuum(DAY);
    assertThat(table.store.head(ledger)).isEmpty();
    assertThat(table.head().log()).anyMatch(it -> it.token().equals(TOKEN));
  }

  private void requireRefused(ThrowingCallable write) throws Exception {
    Map<String, String> rows = table.data();
    assertThatThrownBy(write)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("(version 1), which is older than repave.history.retention")
        .hasMessageContaining("Nothing was written");
    assertThat(table.data()).isEqualTo(rows);
  }

  @ParameterizedTest
  @ValueSource(strings = {"app-1", "app-2", ""})
  void itsTokenIsRefusedToEveryApplication(String application) throws Exception {
    endHistory();
    requireRefused(() -> table.open().begin(tokened(application)));
  }

  /** The job reads the head, vacuum ends the history, and then the job misses the ledger. */
  @Test
  void itsTokenIsRefusedIfTheHistoryEndsBetweenTwoRequests() throws Exception {
    boolean[] ended = {false};
    requireRefused(
        () ->
            table
                .before(
                    (call, at) -> {
                      if (call == StoreCall.READ && at.equals(ledger) && !ended[0]) {
                        ended[0] = true;
                        Unchecked.run(this::endHistory);
                      }
                    })
                .begin(tokened("app-1")));
    assertThat(ended[0]).isTrue();
  }

  @Test
  void aLostLedgerOfTheReadableHistoryMakesTheWriteARepetition() throws Exception {
    table.store.delete(List.of(ledger));
    assertThat(table.commit(tokened("app-2"), List.of("dt=1")).version()).isEqualTo(1);
  }

  /** It may say that the token belongs to another write. */
  @ParameterizedTest
  @ValueSource(strings = {"damaged", "newer"})
  void aLedgerThatCannotBeReadIsNotALostOne(String state) throws Exception {
    if (state.equals("damaged")) {
      table.store.put(ledger, ByteBuffer.wrap(new byte[] {1}));
    } else {
      table.rewrite(ledger, json -> json.replace("\"format\":1", "\"format\":9"));
    }
    Map<Location, HeldObject> before = Map.copyOf(table.store.objects());
    CommitRequest other = table.request(CommitKind.DYNAMIC, TOKEN, "app-2");
    assertThatThrownBy(() -> table.open().begin(other))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(ledger.toString());
    assertThat(table.store.objects()).isEqualTo(before);
  }
}
