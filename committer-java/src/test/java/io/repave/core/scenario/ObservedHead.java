package io.repave.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.repave.core.error.InvalidRecordException;
import io.repave.core.record.Head;
import io.repave.core.record.HeadJson;
import io.repave.core.record.LoggedCommit;
import io.repave.testing.HeldObject;
import io.repave.testing.TestTable;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Tells a model what is published and reverted, in its order, from the head as it is stored. */
final class ObservedHead {
  private final TestTable table;
  private final Listener listener;
  private final Set<String> reverted = new HashSet<>();
  private HeldObject seen;
  private Head head;
  private String tableId = "";
  private long version;

  /** Learns of each step once. */
  interface Listener {
    /** A table has begun; an earlier one was dropped. */
    void begins(Head now);

    void publishes(LoggedCommit commit, Head now);

    void reverts(LoggedCommit commit, Head now);
  }

  ObservedHead(TestTable table, Listener listener) {
    this.table = table;
    this.listener = listener;
  }

  /** The head as it is; empty for a table without records. */
  Optional<Head> now() {
    look();
    return Optional.ofNullable(head);
  }

  void look() {
    HeldObject held = table.store.objects().get(table.paths.head());
    if (held == seen) {
      return;
    }
    seen = held;
    head = held == null ? null : parsed(held);
    if (head == null) {
      return;
    }
    if (!head.tableId().equals(tableId)) {
      tableId = head.tableId();
      version = 0;
      listener.begins(head);
    }
    for (LoggedCommit commit : head.log()) {
      if (commit.reverted() && reverted.add(commit.id().id())) {
        listener.reverts(commit, head);
      } else if (commit.version() > version) {
        assertThat(commit.version()).as("the version after %d", version).isEqualTo(version + 1);
        version = commit.version();
        listener.publishes(commit, head);
      }
    }
    assertThat(head.version()).as("no version comes back, none is left out").isEqualTo(version);
  }

  private static Head parsed(HeldObject held) {
    try {
      return HeadJson.read(held.content(), "head");
    } catch (InvalidRecordException e) {
      throw new AssertionError(e);
    }
  }
}
