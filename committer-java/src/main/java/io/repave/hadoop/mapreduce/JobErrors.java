package io.repave.hadoop.mapreduce;

import io.repave.core.error.CommitFailedException;
import io.repave.core.error.InvalidConfigException;
import io.repave.core.record.CommitId;
import io.repave.core.store.Location;
import io.repave.core.store.StoreException;
import java.io.IOException;

/** The errors of MapReduce jobs. Each names the problem, its cause and what to do. */
final class JobErrors {
  private JobErrors() {}

  static CommitFailedException sameHadoopId(Location job) {
    return new CommitFailedException(
        "Another job with the same Hadoop id has written "
            + job
            + ". If no such job is running, delete that object; otherwise start this job again with"
            + " another id.");
  }

  static CommitFailedException notRecorded(Location job, StoreException cause) {
    return new CommitFailedException(
        "The record of this job could not be stored in "
            + job
            + ": "
            + cause.getMessage()
            + " Nothing was written. Allow the job to write there, or wait until the store answers;"
            + " then run the job again.",
        cause);
  }

  static CommitFailedException notSetUp(Location job) {
    return new CommitFailedException(
        job
            + " is missing, because the job was not set up or has ended. If it has ended, the files of"
            + " this task are not needed. If it failed, look for its first error.");
  }

  static CommitFailedException ended(CommitId commit) {
    return new CommitFailedException(
        "Commit "
            + commit.id()
            + " takes no more files, because its job has failed or was committed with another"
            + " attempt of this task. The files of this attempt are not needed. If the job failed,"
            + " look for its first error.");
  }

  /** A token in Hadoop's configuration would be that of every save in the application. */
  static InvalidConfigException token(Location table) {
    return new InvalidConfigException(
        "RDD saves and MapReduce jobs take no token (repave.token), and Hadoop's configuration gives"
            + " one to the save to "
            + table
            + ". A second save with it would count as a"
            + " repetition, and its rows would be lost. Nothing was written. Remove repave.token from"
            + " the configuration, or write with Spark's DataFrames or SQL.");
  }

  static InvalidConfigException followedByCatalog(Location table) {
    return new InvalidConfigException(
        "A catalog follows the table "
            + table
            + ", and this kind of job cannot write into folders of its own. Nothing was written."
            + " Write with Spark's DataFrames or SQL.");
  }

  static IOException otherProcess() {
    return new IOException(
        "This committer cannot commit the job, because another process set it up. A new driver"
            + " cannot continue a commit of Repave; run the job again.");
  }
}
