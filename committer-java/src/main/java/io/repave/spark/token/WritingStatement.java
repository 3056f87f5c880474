package io.repave.spark.token;

import io.repave.core.store.Location;
import io.repave.spark.write.RunningQueries;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** The statement of Spark that makes a write, which may fail after the commit. */
record WritingStatement(Optional<StatementEnds> ends, Location table, Set<Long> executions) {
  /** That of this thread, when the end of the last one that wrote to the table is known. */
  static WritingStatement of(Option<SparkSession> session, Location table)
      throws InterruptedException {
    Optional<RunningQueries> running =
        session.isEmpty() ? Optional.empty() : RunningQueries.ofThread();
    if (running.isEmpty()) {
      return new WritingStatement(Optional.empty(), table, Set.of());
    }
    Optional<StatementEnds> ends = StatementEnds.of(session.get().sparkContext());
    if (ends.isPresent()) {
      ends.get().awaitLast(table);
    }
    // A command such as CREATE TABLE … AS SELECT runs its insert inside, then does its own part.
    Set<Long> executions =
        running.get().first() == running.get().last()
            ? Set.of(running.get().last())
            : Set.of(running.get().first(), running.get().last());
    return new WritingStatement(ends, table, executions);
  }

  WriteToken.Use use(WriteToken.Use use) {
    return ends.isEmpty() ? use : ends.get().use(table, executions, use);
  }
}
