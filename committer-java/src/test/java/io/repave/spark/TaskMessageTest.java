package io.repave.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.repave.core.Table;
import io.repave.core.commit.WriteTransaction;
import io.repave.core.engine.RetryPolicy;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.Ledger;
import io.repave.core.ledger.TaskBytes;
import io.repave.core.ledger.TaskLedgers;
import io.repave.core.ledger.Upload;
import io.repave.core.record.CommitKind;
import io.repave.core.store.Location;
import io.repave.core.store.ObjectStore;
import io.repave.hadoop.LedgerObjects;
import io.repave.hadoop.runtime.RequestRetry;
import io.repave.testing.MemoryObjectStore;
import io.repave.testing.TestTable;
import io.repave.testing.Unchecked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TaskMessageTest {
  private static final int INLINE_BYTES = 1 << 20;
  private static final long HOUR = 3_600_000;
  private static final Location FOLDER = new Location("lake", "t/_repave/c");

  private final MemoryObjectStore store = new MemoryObjectStore();
  private final TaskMessage messages = new TaskMessage(objects(store), FOLDER, INLINE_BYTES);

  private static LedgerObjects objects(ObjectStore store) {
    return new LedgerObjects(store, new RequestRetry(RetryPolicy.DEFAULT));
  }

  private static byte[] ledger(int files) {
    List<Upload> uploads = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      String name = "part-00000-0123456789abcdef-" + i + ".parquet";
      uploads.add(new Upload("dt=" + i, name, "x".repeat(128) + i, 10, 8, List.of("tag" + i)));
    }
    return TestTable.taskLedger(uploads);
  }

  @Test
  void aSmallLedgerIsItsOwnMessage() throws Exception {
    byte[] ledger = ledger(3);
    byte[] message = messages.encode(ledger, "task-00000-1");
    assertThat(message).isSameAs(ledger);
    assertThat(messages.decode(message).read()).isSameAs(ledger);
    assertThat(store.objects()).isEmpty();
  }

  @Test
  void aLargeLedgerWaitsInTheStoreAndIsReadBackFileByFile() throws Exception {
    byte[] ledger = ledger(10_000);
    assertThat(ledger.length).isGreaterThan(INLINE_BYTES);
    byte[] message = messages.encode(ledger, "task-00000-1");
    assertThat(message).hasSizeLessThan(100);

    List<TaskBytes> tasks =
        List.of(messages.decode(message), messages.decode(messages.encode(ledger(7), "small")));
    TaskLedgers all = TaskLedgers.fetched(tasks);
    assertThat(all.summary().files()).isEqualTo(10_007);
    Ledger.Batches batches = all.batches();
    int seen = 0;
    for (Optional<List<Upload>> batch = batches.next(); batch.isPresent(); batch = batches.next()) {
      seen += batch.get().size();
    }
    assertThat(seen).isEqualTo(10_007);
  }

  /** A job of 100,000 tasks with lists of 60 kB would send 6 GB, and Spark would stop it. */
  @Test
  void theMessagesOfAllTasksTakeHalfOfWhatTheDriverAccepts() throws Exception {
    assertThat(TaskMessage.share(1L << 30, 4)).isEqualTo(1L << 27);
    assertThat(TaskMessage.share(1L << 30, 100_000)).isEqualTo((1L << 29) / 100_000);
    assertThat(TaskMessage.share(0, 100_000)).isEqualTo(Long.MAX_VALUE);

    byte[] ledger = ledger(300);
    String name = "task-00000-1";
    assertThat(messages.atMost(TaskMessage.share(0, 9)).encode(ledger, name)).isSameAs(ledger);
    byte[] message = messages.atMost(TaskMessage.share(1L << 30, 100_000)).encode(ledger, name);
    assertThat(message).hasSizeLessThan(100);
    assertThat(messages.decode(message).read()).isEqualTo(ledger);
  }

  @Test
  void nothingIsLeftOfALargeLedgerOnceTheCommitIsDone() throws Exception {
    byte[] small = ledger(1);
    byte[] large = messages.encode(ledger(10_000), "task-00000-1");
    messages.forget(List.of(small, large));
    assertThat(store.objects()).isEmpty();
    assertThatThrownBy(() -> messages.decode(large).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("task-00000-1");
  }

  /** A dynamic overwrite replaces the folders that its ledgers name. */
  @Test
  void aStoredLedgerThatSomebodyReplacedIsRefused() throws Exception {
    byte[] message = messages.encode(ledger(10_000), "task-00000-1");
    Location at = FOLDER.resolve("task-00000-1");
    store.put(at, ByteBuffer.wrap(ledger(10_001)));
    assertThatThrownBy(() -> TaskLedgers.fetched(List.of(messages.decode(message))))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(at.toString());

    store.put(at, ByteBuffer.wrap(ledger(10_000)));
    Ledger later = TaskLedgers.fetched(List.of(messages.decode(message)), 0);
    store.put(at, ByteBuffer.wrap(ledger(10_001)));
    assertThatThrownBy(() -> later.batches().next()).isInstanceOf(InvalidRecordException.class);
  }

  /** A driver stalls after its reservation; meanwhile others finish its commit, and vacuum. */
  @Test
  void aDecidedCommitSucceedsWithoutTheMessagesOfItsTasks() throws Exception {
    TestTable table = new TestTable();
    AtomicBoolean stalled = new AtomicBoolean();
    Table driver =
        table.before(
            (call, at) -> {
              if (at.name().startsWith("manifest") && stalled.compareAndSet(false, true)) {
                table.clock.advance(2 * HOUR);
                Unchecked.run(() -> table.open().recover());
                Unchecked.run(() -> table.open().vacuum(HOUR));
              }
            });
    table.commit(CommitKind.APPEND, "dt=1");
    WriteTransaction job = driver.begin(table.request(CommitKind.APPEND));
    Location folder = table.paths.commit(job.id());
    TaskMessage large = new TaskMessage(objects(table.store), folder, 0);
    byte[] ledger = TestTable.taskLedger(table.upload(job, List.of("dt=1")));
    byte[] message = large.encode(ledger, "task-00000-1");
    TaskLedgers ledgers = TaskLedgers.fetched(List.of(large.decode(message)), 0);

    assertThat(job.commit(ledgers).version()).isEqualTo(2);

    assertThat(stalled).isTrue();
    assertThat(table.store.objects()).doesNotContainKey(folder.resolve("task-00000-1"));
    assertThat(table.writers()).contains("dt=1/commit-000002");
  }
}
