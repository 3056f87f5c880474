/**
 * Hadoop's committer interface, for MapReduce jobs and Spark's RDD saves.
 *
 * <p>Here a task cannot send a message to its job, so its ledger is stored as an object.
 */
package io.repave.hadoop.mapreduce;
