/**
 * Jobs of MapReduce, and Spark's RDD saves: Hadoop's committer interface over the same engine.
 *
 * <p>There is no way for a task to send a message to its job here, so its ledger waits in the
 * store.
 */
package io.repave.hadoop.mapreduce;
