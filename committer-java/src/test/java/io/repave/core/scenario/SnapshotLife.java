package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.Table;
import io.repave.core.engine.CommitRequest;
import io.repave.core.engine.Step;
import io.repave.core.error.CommitConflictException;
import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.error.InvalidRecordException;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.CommitKind;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Footprint;
import io.repave.core.record.Head;
import io.repave.core.record.Readers;
import io.repave.core.store.ObjectStore;
import io.repave.testing.InterceptingStore;
import io.repave.testing.JsonLines;
import io.repave.testing.ProcessDied;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** One random life of a snapshot table, checked after each operation. */
final class SnapshotLife {
  private static final long DAY = 86_400_000L;
  private static final Optional<Schema> IDS =
      Schema.of(
          "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\","
              + "\"nullable\":false,\"metadata\":{}}]}");

  /** A Delta log wants one column. */
  private static final List<String> OF_ONE_COLUMN =
      List.of(
          "dt=1", "dt=10", "dt=1-a", "dt=%41", "dt=a b", "dt=é", "dt=\uD83D\uDE00", "dt=\uFFFD");

  private static final List<String> ODD =
      List.of("dt=1", "dt=10", "dt=1/h=1", "dt=1/h=10", "dt=%41", "dt=a b", "dt=é", "_x=1", "");
  private static final List<Step> DEATHS =
      List.of(
          Step.PLAN,
          Step.COMPLETE_UPLOADS,
          Step.VERIFY,
          Step.PUBLISH,
          Step.FOLLOW,
          Step.RETIRE,
          Step.FINISH);

  private final Random random;
  private final TestTable table = new TestTable(Readers.SNAPSHOT);
  private final boolean delta;
  private final List<String> partitions;
  private final ExpectedVersions expected = new ExpectedVersions(table);
  private final List<String> trace = new ArrayList<>();
  private boolean inside;

  SnapshotLife(long seed) {
    random = new Random(seed * 7919);
    delta = random.nextBoolean();
    partitions = delta ? OF_ONE_COLUMN : ODD;
  }

  /** What was done, an operation inside another one in braces. */
  List<String> trace() {
    return trace;
  }

  void run() throws Exception {
    table.checkpointEvery(1 + random.nextInt(8));
    long retention = random.nextInt(8) * DAY;
    table.configure(
        it -> it.change().historyRetentionMillis(retention).logCheckpointEvery(3).done());
    if (random.nextBoolean()) {
      table.foreign("dt=1/old.parquet");
      expected.adopts("dt=1|old.parquet");
    }
    commit(CommitKind.APPEND);
    for (int i = 10 + random.nextInt(50); i > 0; i--) {
      operation();
      expected.check();
    }
  }

  private void operation() throws Exception {
    table.clock.advance((long) (random.nextDouble() * DAY));
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> commit(CommitKind.APPEND);
      case 3, 4, 5 -> commit(CommitKind.DYNAMIC);
      case 6 -> commit(CommitKind.STATIC);
      case 7, 8 -> rollback();
      case 9, 10 -> vacuum();
      default -> follow();
    }
  }

  private void commit(CommitKind kind) throws Exception {
    long before = table.open().head().map(Head::version).orElse(0L);
    List<String> folders = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      folders.add(any(partitions));
    }
    CommitRequest request = table.request(kind);
    List<String> scope = kind == CommitKind.STATIC ? List.of("") : List.of();
    if (kind == CommitKind.STATIC && random.nextBoolean()) {
      String folder = any(partitions);
      scope = List.of(folder);
      request = new CommitRequest(request.commit(), kind, scope, "", "_SUCCESS");
      folders.replaceAll(it -> folder);
    }
    Step death = before > 0 && random.nextInt(4) == 0 ? any(DEATHS) : null;
    trace.add(kind + " " + folders + " " + scope + dies(death));
    TestPorts ports = table.process().rows(JsonLines.FORMAT);
    Table process = table.open((death == null ? ports : dying(ports, death)).ports());
    List<String> after = new ArrayList<>();
    for (String file : expected.newest()) {
      if (!Footprint.replaced(kind, folders, scope).covers(file.split("\\|", 2)[0])) {
        after.add(file);
      }
    }
    for (int i = 0; i < folders.size(); i++) {
      after.add(folders.get(i) + "|" + String.format("part-%05d-", i) + request.commit());
    }
    CommitRequest asked = request;
    toItsEnd(() -> table.job(process, asked, folders.toArray(String[]::new)).commit());
    expected.published(new TreeSet<>(after), before);
  }

  private void rollback() throws Exception {
    Head head = table.head();
    long kept = head.version() - head.oldestVersion() + 1;
    long target = head.oldestVersion() + (long) (random.nextDouble() * kept);
    Step death = random.nextInt(4) == 0 ? any(DEATHS) : null;
    trace.add("rollback to " + target + " of " + head.version() + dies(death));
    TestPorts ports = table.process().rows(JsonLines.FORMAT);
    ObjectStore store = interrupted(this::withoutNewVersion);
    Table process = table.open((death == null ? ports : dying(ports, death)).ports().with(store));
    Set<String> files = new TreeSet<>(expected.of(target));
    toItsEnd(() -> process.rollback(target));
    expected.published(files, head.version());
  }

  /** One that changes records and readers, but publishes nothing. */
  private void withoutNewVersion() throws Exception {
    table.clock.advance((long) (random.nextDouble() * DAY));
    if (random.nextInt(3) == 0) {
      follow();
    } else {
      vacuum();
    }
  }

  private void vacuum() throws Exception {
    long retention = random.nextInt(3) * DAY;
    if (random.nextInt(3) == 0) {
      int call = 1 + random.nextInt(40);
      trace.add("vacuum " + retention / DAY + " dies at request " + call);
      try {
        table.through(table.dyingBefore(call)).vacuum(retention);
      } catch (ProcessDied died) {
        // The next one continues.
      }
      return;
    }
    trace.add("vacuum " + retention / DAY);
    ObjectStore store = interrupted(this::operation);
    try {
      table.through(store).vacuum(retention);
    } catch (InvalidRecordException gone) {
      // Another vacuum ended the history that this one reads.
      if (store == table.counted) {
        throw gone;
      }
      trace.add("(" + gone.getMessage() + ")");
    }
  }

  private void follow() throws Exception {
    FollowerKind kind = delta && random.nextBoolean() ? FollowerKind.DELTA : FollowerKind.SYMLINK;
    if (random.nextInt(4) == 0 && !inside) {
      trace.add("unfollow " + kind);
      table.open().unfollow(kind);
      return;
    }
    trace.add("follow " + kind);
    TestPorts ports =
        table.process().rows(JsonLines.FORMAT).facts(it -> FileFacts.NONE.withSchema(IDS));
    try {
      table.open(ports.ports().with(interrupted(this::operation))).follow(kind);
    } catch (InvalidConfigException refused) {
      assertThat(refused.getMessage())
          .containsAnyOf("no file that names its columns", "is being switched off");
    } catch (CommitConflictException | InvalidRecordException changed) {
      if (inside) {
        throw changed;
      }
      trace.add("(" + changed.getMessage() + ")");
    }
  }

  /** Something that a process does, which may die or fail. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  private void toItsEnd(Work work) throws Exception {
    try {
      work.run();
    } catch (ProcessDied died) {
      boolean before = inside;
      inside = true;
      for (int i = random.nextInt(3); i > 0; i--) {
        table.clock.advance((long) (random.nextDouble() * 2 * DAY));
        vacuum();
      }
      inside = before;
      table.open().recover();
    } catch (CommitFailedException failed) {
      trace.add("(" + failed.getMessage() + ")");
      assertThat(table.head().active()).isEmpty();
    } catch (InvalidRecordException | InvalidConfigException refused) {
      trace.add("(" + refused.getMessage() + ")");
      table.open().recover();
    }
  }

  /** A store before one of whose requests another process works, half of the time. */
  private ObjectStore interrupted(Work work) {
    if (inside || random.nextBoolean()) {
      return table.counted;
    }
    int at = 1 + random.nextInt(random.nextBoolean() ? 12 : 40);
    int[] calls = {0};
    return InterceptingStore.before(
        table.counted,
        (call, place) -> {
          calls[0]++;
          if (calls[0] == at) {
            meanwhile(work);
          }
        });
  }

  private void meanwhile(Work work) {
    inside = true;
    trace.add("{");
    try {
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        work.run();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      inside = false;
      trace.add("}");
    }
  }

  private static TestPorts dying(TestPorts ports, Step death) {
    return ports.progress(TestTable.death(death));
  }

  private static String dies(Step death) {
    return death == null ? "" : " dies at " + death;
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
