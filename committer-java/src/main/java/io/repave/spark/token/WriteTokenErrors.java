package io.repave.spark.token;

import io.repave.core.error.InvalidConfigException;
import io.repave.core.store.Location;

/**
 * The errors of tokens, of runs and of blocks of write options. Each names the problem, its cause
 * and what to do.
 */
final class WriteTokenErrors {
  private WriteTokenErrors() {}

  static InvalidConfigException secondWriteInBlock(Location table) {
    return new InvalidConfigException(
        "A second write to "
            + table
            + " has the repave.token of a block of write options, and a token names one write."
            + " Nothing of the second write was written. Open a block with another token for it.");
  }

  static InvalidConfigException otherWriteInBlock(Location table) {
    return new InvalidConfigException(
        "A write to "
            + table
            + " has failed in a block of write options with a repave.token, and this one is not the"
            + " same write. If the program is repeated, the failed write may succeed and take the"
            + " token, and the rows of this one would be lost. Nothing was written. If this is another"
            + " write, open a block with another token for it. If it is the same write, computed"
            + " again, run `repave recover "
            + table
            + "`: if it finishes the failed write, the write is done. If not, open the block again"
            + " with the same token.");
  }

  static InvalidConfigException tooManyTablesInBlock(int tables) {
    return new InvalidConfigException(
        "The writes with one repave.token of a block of write options have reached "
            + tables
            + " tables, which is the limit. Open a block for each write.");
  }

  static InvalidConfigException tokenOfSession(String key) {
    return new InvalidConfigException(
        key
            + " is set for the whole session, so only the first write to each table would take"
            + " effect. Nothing was written. Set repave.token for each write: as an option"
            + " of it, or in a block of write options (repave.write_options). In an application that"
            + " runs one job, set repave.run instead: it names the job's run.");
  }

  static InvalidConfigException tooManyTablesInRun(int tables) {
    return new InvalidConfigException(
        "This application has written to "
            + tables
            + " tables with repave.run, which is the limit. Unset repave.run, or start a new"
            + " application.");
  }

  static InvalidConfigException concurrentWritesInRun(Location table, String run) {
    return new InvalidConfigException(
        "Two writes to "
            + table
            + " run at the same time with repave.run="
            + run
            + ". A repeated run could not distinguish them. Run one after the other, or set a"
            + " repave.token for each write.");
  }

  static InvalidConfigException besideStreamInRun(Location table, String run) {
    return new InvalidConfigException(
        "A write to "
            + table
            + " has no token. It belongs to the run "
            + run
            + " (repave.run), and was started outside the batch thread while a streaming query runs."
            + " A repeated run could give it the token of another write, and rows would be lost."
            + " Nothing was written. Give the write a repave.token, in a batch the stream's name and"
            + " the batch number. Or write in the batch thread, or after the query has ended.");
  }

  static InvalidConfigException otherWriteAfterFailure(Location table, String run) {
    return new InvalidConfigException(
        "A write to "
            + table
            + " has failed in the run "
            + run
            + " (repave.run), and this one is not the same write. When the run is repeated, the"
            + " failed write may succeed and take the token of this one, whose rows would then be"
            + " lost. Nothing was written. End the application after a failed write and repeat the"
            + " run. A program that goes on after a failed write needs a repave.token for each of its"
            + " writes from the beginning.");
  }

  static InvalidConfigException otherWriteAfterCommit(Location table, String run) {
    return new InvalidConfigException(
        "A statement that wrote to "
            + table
            + " in the run "
            + run
            + " (repave.run) has failed after its commit, as when a metastore does not answer. Its rows"
            + " are in the table. This write is not the same, but it may be a retry with other input,"
            + " which would add its rows again. Nothing was written. End the application, correct the"
            + " cause, and repeat the run: there the failed statement adds no row, and Spark completes"
            + " it. A program that goes on after a failed statement needs a repave.token for each of"
            + " its writes from the beginning.");
  }
}
