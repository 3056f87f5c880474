package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.ledger.PartFileName;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import io.repave.testing.HeldUpload;
import io.repave.testing.TestTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One random life of a listing table, checked after each operation. */
final class ListingLife implements Lives.Run {
  private final TestTable table = new TestTable(Readers.LISTING);
  private final Life life;
  private final boolean follows;
  private final List<String> partitions = new ArrayList<>(Life.INSIDE);
  private final RandomJobs jobs;
  private final ExpectedFolders expected;
  private final ObservedHead observed;
  private final Operators operators;
  private int strangers;

  ListingLife(long seed) {
    life = new Life(seed, table, 3);
    follows = life.oneOf(3);
    if (!follows) {
      partitions.addAll(Life.OUTSIDE);
    }
    jobs = new RandomJobs(life, partitions);
    expected = new ExpectedFolders(table, jobs);
    observed = new ObservedHead(table, expected);
    operators = new Operators(life, jobs, observed);
    life.observer(observed::look);
  }

  @Override
  public List<String> trace() {
    return life.trace();
  }

  @Override
  public void run() throws Exception {
    table.checkpointEvery(1 + life.random.nextInt(8));
    long retention = life.random.nextInt(8) * Life.DAY;
    table.configure(it -> it.historyRetentionMillis(retention).allowed(Life.ALLOWED));
    String foreign = foreignUpload();
    for (int i = 10 + life.random.nextInt(50); i > 0; i--) {
      operation();
      rest();
    }
    life.sleep(Life.DAY);
    if (observed.now().isEmpty()) {
      // Without a head, a vacuum leaves the uploads of jobs that began after the table was dropped.
      write("dt=1");
      table.open().adopt();
      expected.checkAdopted(observed.now().orElseThrow());
    }
    table.open().vacuum(0);
    assertThat(table.store.openUploads())
        .filteredOn(it -> table.paths.root().holds(it.at()))
        .extracting(HeldUpload::uploadId)
        .containsExactly(foreign);
    rest();
  }

  /** An upload of a writer that does not know Repave. */
  private String foreignUpload() throws StoreException {
    Location at = table.paths.file("dt=1", "part-00000-" + TestTable.id(999_999) + "-c000.parquet");
    return table.store.createUpload(at);
  }

  private void rest() throws Exception {
    operators.rest();
    Optional<Head> head = observed.now();
    expected.check(head.orElse(null));
    if (head.isPresent()) {
      List<String> recorded = ExpectedVersions.recorded(table, head.get(), head.get().version());
      ExpectedPointers.check(table, head.get(), recorded, expected.unrecorded());
    }
  }

  private void operation() throws Exception {
    life.sleep(Life.DAY);
    switch (life.random.nextInt(20)) {
      case 0, 1, 2 -> jobs.run(CommitKind.APPEND, this::operation);
      case 3, 4, 5, 6 -> jobs.run(CommitKind.DYNAMIC, this::operation);
      case 7, 8 -> jobs.run(CommitKind.STATIC, this::operation);
      case 9, 10 -> operators.vacuum(this::operation);
      case 11, 12 -> operators.recover(this::operation);
      case 13 -> operators.cancel(this::operation);
      case 14 -> listed("adopt", Table::adopt);
      case 15 -> listed("repair", Table::repair);
      case 16 -> write(life.any(partitions));
      case 17 -> drop();
      case 18 -> abortUpload();
      default -> follow();
    }
    if (life.inside()) {
      expected.checkDuring(observed.now().orElse(null));
    }
  }

  /** Something that makes the records name what is in the table's folder. */
  private void listed(String what, Operators.Operation operation) throws Exception {
    int pauses = life.pauses();
    boolean[] done = {false};
    operators.run(
        what,
        this::operation,
        process -> {
          operation.run(process);
          done[0] = true;
        });
    if (done[0] && life.pauses() == pauses && !life.inside()) {
      expected.checkAdopted(observed.now().orElseThrow());
    }
  }

  /** A writer that does not know Repave puts a file, whose name nobody uses again. */
  private void write(String folder) throws Exception {
    String name = "part-00000-" + TestTable.id(500_000 + ++strangers) + "-c000.parquet";
    life.note("write " + folder + "|" + name);
    expected.written(folder + "|" + name, observed.now().orElse(null));
    table.store.put(table.paths.file(folder, name), ByteBuffer.wrap(new byte[] {1}));
  }

  /** A catalog drops a partition, or now and then the table. */
  private void drop() throws Exception {
    String folder = life.oneOf(4) ? "" : life.any(partitions);
    life.note(folder.isEmpty() ? "drop the table" : "drop " + folder);
    Head head = observed.now().orElse(null);
    List<Location> all = new ArrayList<>(table.store.objects().keySet());
    Location dropped = folder.isEmpty() ? table.paths.root() : table.paths.folder(folder);
    all.removeIf(at -> !dropped.holds(at));
    all.forEach(at -> table.store.delete(List.of(at)));
    if (folder.isEmpty()) {
      expected.droppedTable(head);
    } else {
      expected.dropped(folder, head);
    }
    observed.look();
  }

  /** An administrator, or a rule of the bucket, aborts an upload. */
  private void abortUpload() {
    List<HeldUpload> open =
        table.store.openUploads().stream()
            .filter(it -> PartFileName.commitOf(it.at().name()).isPresent())
            .toList();
    if (!open.isEmpty()) {
      HeldUpload upload = life.any(open);
      life.note("abort " + upload.at());
      jobs.disturb(PartFileName.commitOf(upload.at().name()).orElseThrow());
      table.store.abort(upload.at(), upload.uploadId());
    }
  }

  private void follow() throws Exception {
    if (follows && life.oneOf(3)) {
      operators.unfollow(FollowerKind.SYMLINK, this::operation);
    } else if (follows) {
      operators.follow(FollowerKind.SYMLINK, this::operation);
    }
  }
}
