package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.engine.Step;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.CommitStateUnknownException;
import io.repave.core.record.CommitKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.InterceptingStore;
import io.repave.testing.ProcessDied;
import io.repave.testing.StoreCall;
import io.repave.testing.TestJob;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An older head is put back while a job commits, and the operator restores the newest one later.
 */
class HeadPutBackDuringJobTest {
  private static final int CALLS = 40;

  private TestTable table;
  private byte[] beforeBase;
  private byte[] base;

  @BeforeEach
  void aListingTable() throws Exception {
    begin(Readers.LISTING);
  }

  private void begin(Readers readers) throws Exception {
    table = new TestTable(readers);
    table.commit(CommitKind.APPEND, "dt=1");
    beforeBase = current();
    table.commit(CommitKind.APPEND, "dt=1");
    base = current();
  }

  private byte[] current() {
    return table.content(table.paths.head());
  }

  private void putBack(byte[] head) throws IOException {
    table.store.put(table.paths.head(), ByteBuffer.wrap(head));
  }

  /** What the job was told. */
  private enum Told {
    PUBLISHED,
    FAILED,
    UNKNOWN
  }

  private static Told told(TestJob job) throws Exception {
    try {
      job.commit();
      return Told.PUBLISHED;
    } catch (CommitFailedException failed) {
      job.abort();
      return Told.FAILED;
    } catch (CommitStateUnknownException unknown) {
      job.abort();
      return Told.UNKNOWN;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "LISTING, APPEND, true", "LISTING, DYNAMIC, true", "SNAPSHOT, DYNAMIC, true",
    "LISTING, APPEND, false", "LISTING, DYNAMIC, false", "SNAPSHOT, DYNAMIC, false"
  })
  void aJobIsToldTheTruthWheneverAnOlderHeadIsPutBack(
      Readers readers, CommitKind kind, boolean toTheBase) throws Exception {
    Set<Told> all = new TreeSet<>();
    for (int call = 1; call <= CALLS; call++) {
      begin(readers);
      byte[] old = toTheBase ? base : beforeBase;
      List<byte[]> newest = new ArrayList<>();
      int[] calls = {-1};
      int at = call;
      InterceptingStore.Hook putBack =
          (what, where) -> {
            if (calls[0] >= 0 && ++calls[0] == at) {
              newest.add(current());
              Unchecked.run(() -> putBack(old));
            }
          };
      TestJob job = table.job(table.before(putBack), kind, "dt=1");
      calls[0] = 0;
      Told told = told(job);
      all.add(told);
      if (newest.isEmpty()) {
        continue;
      }
      String own = TestTable.writer("dt=1/" + name(job));
      if (!isNamed(job)) {
        putBack(newest.get(0));
        table.open().recover();
        assertThat(table.writers()).as("call %d: %s", call, told).containsAll(table.recorded());
        if (readers == Readers.LISTING) {
          assertThat(table.recorded()).as("call %d: %s", call, told).containsAll(table.writers());
        }
      }
      if (told != Told.UNKNOWN) {
        boolean there = table.recorded().contains(own);
        assertThat(there).as("call %d: %s", call, told).isEqualTo(told == Told.PUBLISHED);
      }
    }
    assertThat(all).contains(Told.UNKNOWN, Told.PUBLISHED);
  }

  /** Whether the job has gone on in the head that was put back. */
  private boolean isNamed(TestJob job) throws Exception {
    Head head = table.head();
    return head.active(job.id()).isPresent() || head.logged(job.id()).isPresent();
  }

  private static String name(TestJob job) throws Exception {
    List<String> names = new ArrayList<>();
    job.ledger().each(batch -> batch.forEach(it -> names.add(it.name())));
    return names.get(0);
  }

  /** Its reservation landed without an answer, and others finished the commit. */
  @ParameterizedTest
  @CsvSource({
    "SNAPSHOT, UNKNOWN",
    "SNAPSHOT, REFUSED",
    "LISTING, UNKNOWN",
    "LISTING, REFUSED",
  })
  void anAbortKeepsACommitThatOthersPublishedBeforeTheHeadWasPutBack(
      Readers readers, StoreException.Kind answer) throws Exception {
    begin(readers);
    List<byte[]> newest = new ArrayList<>();
    InterceptingStore unanswered =
        new InterceptingStore(table.store) {
          @Override
          public String putIfMatch(Location at, ByteBuffer content, String etag)
              throws StoreException {
            super.putIfMatch(at, content, etag);
            Unchecked.run(() -> table.open().recover());
            newest.add(current());
            Unchecked.run(() -> putBack(beforeBase));
            throw new StoreException(answer, "no clear answer");
          }
        };
    TestJob job = table.job(table.through(unanswered), CommitKind.APPEND, "dt=2");
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("An older head was put back")
        .hasMessageContaining("Do not delete any files");
    assertThat(job.abort()).isFalse();
    assertThat(current()).as("nothing was written over it").isEqualTo(beforeBase);
    putBack(newest.get(0));
    assertThat(table.recorded()).contains("dt=2/commit-000003");
    assertThat(table.writers()).contains("dt=2/commit-000003");
  }

  /** A later commit replaced its files, so the driver and a recovery find them absent. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplacedCommitThatTheHeadForgotIsNotCalledReverted(boolean byARecovery) throws Exception {
    int[] completes = {0};
    List<byte[]> newest = new ArrayList<>();
    InterceptingStore.Hook replaced =
        (call, at) -> {
          if (call == StoreCall.COMPLETE && ++completes[0] == 1) {
            Unchecked.run(() -> table.open().recover());
            Unchecked.run(() -> table.commit(CommitKind.DYNAMIC, "dt=2"));
            newest.add(current());
            Unchecked.run(() -> putBack(beforeBase));
            throw new StoreException(StoreException.Kind.UNKNOWN, "time-out");
          }
        };
    if (byARecovery) {
      table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=2");
      assertUnknown(table.before(replaced)::recover);
    } else {
      assertUnknown(table.job(table.before(replaced), CommitKind.APPEND, "dt=2")::commit);
    }
    assertThat(current()).as("nothing was written over it").isEqualTo(beforeBase);
    putBack(newest.get(0));
    assertThat(table.recorded()).doesNotContain("dt=2/commit-000003");
    assertThat(table.writers()).containsAll(table.recorded());
  }

  private static void assertUnknown(ThrowingCallable commit) {
    assertThatThrownBy(commit)
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("An older head was put back");
  }

  /** The recovery of another process learns it in the same way, and reverts nothing. */
  @Test
  void aRecoveryWhoseHeadIsPutBackMeanwhileChangesNothing() throws Exception {
    table.unfinished(Step.COMPLETE_UPLOADS, CommitKind.APPEND, "dt=2");
    byte[] newest = current();
    InterceptingStore.Hook putBack =
        (call, at) -> {
          if (call == StoreCall.PUT_IF_MATCH && Arrays.equals(current(), newest)) {
            Unchecked.run(() -> putBack(base));
          }
        };
    assertThatThrownBy(() -> table.before(putBack).recover())
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("An older head was put back");
    assertThat(current()).isEqualTo(base);
    putBack(newest);
    table.open().recover();
    assertThat(table.recorded()).contains("dt=2/commit-000003");
  }

  /** Otherwise it is told "committed", and no head names its files any more. */
  @ParameterizedTest
  @CsvSource({
    "LISTING, APPEND",
    "LISTING, DYNAMIC",
    "SNAPSHOT, APPEND",
    "SNAPSHOT, DYNAMIC",
  })
  void aPublishedJobIsNotTakenOutOfAHeadThatSaysPending(Readers readers, CommitKind kind)
      throws Exception {
    Set<Told> all = new TreeSet<>();
    for (int call = 1; call <= CALLS; call++) {
      begin(readers);
      List<byte[]> pending = new ArrayList<>();
      List<byte[]> newest = new ArrayList<>();
      int[] calls = {-1};
      boolean[] sent = {false};
      int at = call;
      InterceptingStore.Hook putBack =
          (what, where) -> {
            if (sent[0] && pending.isEmpty()) {
              pending.add(current());
            }
            sent[0] |= what == StoreCall.PUT_IF_MATCH;
            if (calls[0] >= 0 && ++calls[0] == at && !pending.isEmpty()) {
              newest.add(current());
              Unchecked.run(() -> putBack(pending.get(0)));
            }
          };
      TestJob job = table.job(table.before(putBack), kind, "dt=1");
      calls[0] = 0;
      Told told = told(job);
      if (newest.isEmpty()) {
        continue;
      }
      all.add(told);
      if (told == Told.UNKNOWN) {
        assertThat(current()).as("call %d", call).isEqualTo(pending.get(0));
        putBack(newest.get(0));
        table.open().recover();
      }
      assertThat(table.recorded()).as("call %d: %s", call, told).contains("dt=1/commit-000003");
      assertThat(table.writers()).as("call %d: %s", call, told).containsAll(table.recorded());
    }
    assertThat(all).containsExactly(Told.PUBLISHED, Told.UNKNOWN);
  }

  /** It would delete the files of the version that readers of that head see. */
  @Test
  void aRecoveryDeletesNoReplacedFileWhenTheHeadSaysPendingMeanwhile() throws Exception {
    List<byte[]> pending = new ArrayList<>();
    var ports =
        table
            .process()
            .progress(
                (step, done, total) -> {
                  if (step == Step.VERIFY) {
                    pending.add(current());
                  }
                  TestTable.death(Step.RETIRE).at(step, done, total);
                })
            .ports();
    TestJob job = table.job(table.open(ports), CommitKind.DYNAMIC, "dt=1");
    assertThatThrownBy(job::commit).isInstanceOf(ProcessDied.class);
    Map<String, String> before = table.data();
    boolean[] planned = {false};
    InterceptingStore.Hook putBack =
        (what, where) -> {
          planned[0] |= where.equals(table.paths.manifest(job.id()));
          if (planned[0] && what == StoreCall.READ && where.equals(table.paths.head())) {
            Unchecked.run(() -> putBack(pending.get(0)));
          }
        };
    assertUnknown(() -> table.before(putBack).recover());
    assertThat(table.data()).isEqualTo(before);
    assertThat(current()).isEqualTo(pending.get(0));
  }
}
