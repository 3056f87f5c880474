package io.repave.core.conflict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.record.CommitKind;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A program may repeat its own write with a token, if it names the commit that tried it. */
class NamedAttemptsTest {
  private final TestTable table = new TestTable();

  /** The next job of one program, always with the same token. */
  private CommitRequest request(CommitKind kind, List<String> scope) {
    CommitRequest next = table.request(kind, "token");
    return new CommitRequest(next.commit(), kind, scope, "token", "app-1", next.marker());
  }

  @Test
  void aProgramRepeatsOnlyThoseOfItsCommitsThatItNames() throws Exception {
    table.commit(request(CommitKind.APPEND, List.of()), List.of("dt=1"));
    CommitRequest again = request(CommitKind.APPEND, List.of());
    assertThatThrownBy(() -> table.open().begin(again.after(List.of(TestTable.id(99)))))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("was made by this application");
    List<String> named = List.of(TestTable.id(99), TestTable.id(1));
    assertThat(table.commit(again.after(named), List.of("dt=1")).version()).isEqualTo(1);
    CommitRequest other = request(CommitKind.STATIC, List.of("dt=1")).after(named);
    assertThatThrownBy(() -> table.open().begin(other))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("of the kind static");
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aProgramFinishesItsOwnDecidedCommitWhenItTriesTheWriteAgain() throws Exception {
    CommitRequest first = request(CommitKind.DYNAMIC, List.of());
    CommitId dead = table.unfinished(Step.COMPLETE_UPLOADS, first, "dt=1");
    table.clock.advance(120_000);
    CommitRequest again = request(CommitKind.DYNAMIC, List.of()).after(List.of(dead.id()));
    assertThat(table.commit(again, List.of("dt=1")).by()).isEqualTo(dead);
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @Test
  void aProgramNamesTheCommitThatGotItsTokenWhileItsTasksRan() throws Exception {
    TestJob first = table.job(request(CommitKind.APPEND, List.of()), "dt=1");
    TestJob stranger = table.job(request(CommitKind.APPEND, List.of()), "dt=1");
    CommitRequest retry = request(CommitKind.APPEND, List.of()).after(List.of(first.id().id()));
    TestJob again = table.job(retry, "dt=1");
    first.commit();
    assertThatThrownBy(stranger::commit).isInstanceOf(InvalidConfigException.class);
    assertThat(again.commit().by()).isEqualTo(first.id());
    assertThat(table.recorded()).containsExactly("dt=1/commit-000001");
  }
}
