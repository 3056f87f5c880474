package io.repave.core.scenario;

import io.repave.core.Table;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.ledger.FileFacts;
import io.repave.core.ledger.Schema;
import io.repave.core.record.ActiveCommit;
import io.repave.core.record.FollowerKind;
import io.repave.core.record.Head;
import io.repave.testing.JsonLines;
import io.repave.testing.ProcessDied;
import io.repave.testing.SwitchOffs;
import io.repave.testing.TestPorts;
import io.repave.testing.TestTable;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What people and timers do to a table, beside its jobs. */
final class Operators {
  private static final Optional<Schema> IDS =
      Schema.of(
          "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\","
              + "\"nullable\":false,\"metadata\":{}}]}");

  private final Life life;
  private final TestTable table;
  private final RandomJobs jobs;
  private final ObservedHead observed;

  /** Followers that were switched off while a process slept, which may write a late file. */
  private final Set<FollowerKind> late = EnumSet.noneOf(FollowerKind.class);

  Operators(Life life, RandomJobs jobs, ObservedHead observed) {
    this.life = life;
    this.table = life.table;
    this.jobs = jobs;
    this.observed = observed;
  }

  /** What one process does with the table. */
  @FunctionalInterface
  interface Operation {
    void run(Table process) throws Exception;
  }

  /**
   * Runs an operation, inside which others may work. It may be refused; it may fail only beside
   * others.
   */
  void run(String what, Life.Work others, Operation operation) throws Exception {
    life.note(what);
    int pauses = life.pauses();
    TestPorts ports =
        life.process(others).rows(JsonLines.FORMAT).facts(it -> FileFacts.NONE.withSchema(IDS));
    try {
      operation.run(table.open(ports.ports()));
    } catch (ProcessDied died) {
      life.note("(died)");
    } catch (InvalidConfigException refused) {
      life.note("(" + refused.getMessage() + ")");
    } catch (IOException failed) {
      life.note("(" + failed.getMessage() + ")");
      life.requireNoViolation();
      if (!life.inside() && life.pauses() == pauses) {
        throw failed;
      }
    }
    life.requireNoViolation();
  }

  void vacuum(Life.Work others) throws Exception {
    long retention = life.random.nextInt(3) * Life.DAY;
    jobs.vacuumed(table.clock.wallMillis() - retention);
    run("vacuum " + retention / Life.DAY, others, it -> it.vacuum(retention));
  }

  void recover(Life.Work others) throws Exception {
    run("recover", others, Table::recover);
  }

  /** Cancels an unfinished commit, if there is one. */
  void cancel(Life.Work others) throws Exception {
    List<ActiveCommit> active = observed.now().map(Head::active).orElse(List.of());
    if (!active.isEmpty()) {
      String id = life.any(active).id().id();
      jobs.disturb(id);
      run("cancel " + id, others, it -> it.cancel(id));
    }
  }

  void follow(FollowerKind kind, Life.Work others) throws Exception {
    if (!late.contains(kind)) {
      run("follow " + kind, others, it -> it.follow(kind));
    }
  }

  /** Nobody switches it on again while it is switched off, or while an earlier process sleeps. */
  void unfollow(FollowerKind kind, Life.Work others) throws Exception {
    late.add(kind);
    run("unfollow " + kind, others, it -> it.unfollow(kind));
  }

  /** Finishes all that is unfinished, and brings the followers up to date or ends them. */
  void rest() throws Exception {
    late.clear();
    table.open().recover();
    Head head = observed.now().orElse(null);
    if (head != null && head.version() > 0) {
      TestPorts ports = life.undisturbed().rows(JsonLines.FORMAT);
      SwitchOffs.end(head, table.open(ports.ports()));
      table.open(ports.ports()).sync();
    }
  }
}
