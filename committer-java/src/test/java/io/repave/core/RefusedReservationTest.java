package io.repave.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.commit.WriteTransaction;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.ledger.Ledger;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.core.store.StoreException;
import io.repave.core.store.StoreException.Kind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a job says when the store does not let it decide: a plain no is a plain failure. */
class RefusedReservationTest {
  private final Lake lake = new Lake();

  /** How the next swaps of the head are answered; the last of them for good. */
  private final Deque<Answer> answers = new ArrayDeque<>();

  private int swaps;
  private WriteTransaction job;
  private Ledger ledger;

  private record Answer(Kind kind, boolean applied) {}

  @BeforeEach
  void aJobThatHasUploadedOneFile() throws Exception {
    lake.commit(CommitKind.APPEND, "dt=1");
    job =
        Table.open(lake.ports().with(answering()), lake.paths, lake.settings)
            .begin(lake.request(CommitKind.APPEND));
    ledger = Lake.ledger(lake.upload(job, List.of("dt=1")));
  }

  private ObjectStore answering() {
    return (ObjectStore)
        Proxy.newProxyInstance(
            ObjectStore.class.getClassLoader(),
            new Class<?>[] {ObjectStore.class},
            (proxy, method, arguments) -> {
              boolean swap =
                  method.getName().equals("putIfMatch")
                      && arguments[0] instanceof Location at
                      && at.equals(lake.paths.head());
              try {
                return swap ? swap(arguments) : method.invoke(lake.store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Object swap(Object[] arguments) throws StoreException {
    swaps++;
    Answer answer = answers.size() > 1 ? answers.pop() : answers.peek();
    if (answer.applied) {
      lake.store.putIfMatch(
          (Location) arguments[0], (ByteBuffer) arguments[1], (String) arguments[2]);
    }
    throw new StoreException(answer.kind, "the store says " + answer.kind);
  }

  @ParameterizedTest
  @EnumSource(names = {"DENIED", "INVALID", "ABSENT"})
  void aLastingRefusalIsAFailureWithoutAFence(Kind kind) throws Exception {
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
    assertThat(lake.store.openUploads()).isEmpty();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001");
  }

  @ParameterizedTest
  @EnumSource(names = {"UNKNOWN", "REFUSED"})
  void aRefusalAfterATryThatMayHaveLandedStaysUnknown(Kind first) throws Exception {
    answers.add(new Answer(first, false));
    answers.add(new Answer(Kind.DENIED, false));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("the store says DENIED")
        .hasMessageContaining("Do not delete any files")
        .hasMessageContaining("repave recover s3://lake/sales")
        .hasMessageContaining("repave history s3://lake/sales");
    assertThatThrownBy(() -> job.abort(ledger)).isInstanceOf(StoreException.class);
    assertThat(lake.store.openUploads()).hasSize(1);
  }

  @Test
  void aTryThatLandedWithoutAnAnswerIsDecidedWhateverIsRefusedLater() throws Exception {
    answers.add(new Answer(Kind.UNKNOWN, true));
    answers.add(new Answer(Kind.DENIED, false));
    assertThatThrownBy(() -> job.commit(ledger))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("decided but not finished");
    assertThat(job.abort(ledger)).isFalse();
    lake.table().recover();
    assertThat(lake.writers()).containsExactly("dt=1/commit-000001", "dt=1/commit-000002");
  }
}
