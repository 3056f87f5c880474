package io.repave.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import io.repave.testing.InterceptingStore;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The store refuses the reservation, or its answer is lost. */
class ReserveTest {
  private final TestTable table = new TestTable();

  /** How the next swaps of the head are answered. The last answer is for all further swaps. */
  private final Deque<Answer> answers = new ArrayDeque<>();

  private int swaps;
  private WriteTransaction job;
  private Ledger ledger;

  private record Answer(Kind kind, boolean applied) {}

  @BeforeEach
  void aJobThatHasUploadedOneFile() throws Exception {
    table.commit(CommitKind.APPEND, "dt=1");
    job = table.through(answering()).begin(table.request(CommitKind.APPEND));
    ledger = TestTable.ledger(table.upload(job, List.of("dt=1")));
  }

  private ObjectStore answering() {
    return new InterceptingStore(table.store) {
      @Override
      public String putIfMatch(Location at, ByteBuffer content, String etag) throws StoreException {
        if (!at.equals(table.paths.head())) {
          return super.putIfMatch(at, content, etag);
        }
        swaps++;
        Answer answer = answers.size() > 1 ? answers.pop() : answers.peek();
        if (answer.applied) {
          super.putIfMatch(at, content, etag);
        }
        throw new StoreException(answer.kind, "the store says " + answer.kind);
      }
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"DENIED", "INVALID", "ABSENT"})
  void aLastingDenialIsAFailureWithoutAFence(Kind kind) throws Exception {
    answers.add(new Answer(kind, false));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("could not be reserved in s3://lake/sales/_repave/head.json")
        .hasMessageContaining("the store says " + kind)
        .hasMessageContaining("Nothing was published. Fix the cause and run the job again");
    assertThat(swaps).isEqualTo(1);
  }

  @Test
  void theAbortOfARefusedJobCleansUpWithoutAskingTheHead() throws Exception {
    answers.add(new Answer(Kind.DENIED, false));
    assertThatThrownBy(() -> job.commit(ledger)).isInstanceOf(CommitFailedException.class);
    assertThat(job.abort(ledger)).isTrue();
    assertThat(swaps).isEqualTo(1);
    assertThat(table.store.openUploads()).isEmpty();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(names = {"UNKNOWN", "REFUSED"})
  void aDenialAfterARequestThatMayHaveLandedIsUnknown(Kind first) throws Exception {
    answers.add(new Answer(first, false));
    answers.add(new Answer(Kind.DENIED, false));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("the store says DENIED")
        .hasMessageContaining("Do not delete any files")
        .hasMessageContaining("repave recover s3://lake/sales")
        .hasMessageContaining("repave history s3://lake/sales");
    assertThatThrownBy(() -> job.abort(ledger)).isInstanceOf(StoreException.class);
    assertThat(table.store.openUploads()).hasSize(1);
  }

  @Test
  void aReservationThatLandedWithoutAnAnswerIsDecided() throws Exception {
    answers.add(new Answer(Kind.UNKNOWN, true));
    answers.add(new Answer(Kind.DENIED, false));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("decided but not finished");
    assertThat(job.abort(ledger)).isFalse();
    table.open().recover();
    assertThat(table.writers()).containsExactly("dt=1/commit-000001", "dt=1/commit-000002");
  }

  /** The head's log does not name it any more. Reserved again, it would be published twice. */
  @Test
  void aCommitThatWasPublishedLongAgoWithoutAnAnswerIsNotReservedAgain() throws Exception {
    InterceptingStore slow =
        new InterceptingStore(table.store) {
          @Override
          public String putIfMatch(Location at, ByteBuffer content, String etag)
              throws StoreException {
            String written = super.putIfMatch(at, content, etag);
            if (at.equals(table.paths.head()) && swaps++ == 0) {
              Unchecked.run(ReserveTest.this::othersFinishItAndManyMore);
              throw new StoreException(Kind.UNKNOWN, "no answer");
            }
            return written;
          }
        };
    TestJob sleeper = table.job(table.through(slow), CommitKind.APPEND, "dt=1");
    assertThat(sleeper.commit().version()).isEqualTo(2);
    assertThat(table.head().version()).isEqualTo(47);
    assertThat(table.history()).filteredOn(it -> it.id().equals(sleeper.id())).hasSize(1);
  }

  private void othersFinishItAndManyMore() throws Exception {
    table.open().recover();
    for (int other = 0; other < 45; other++) {
      table.commit(CommitKind.DYNAMIC, "dt=1");
    }
  }
}
