/**
 * Hadoop's committer interface, for MapReduce jobs and Spark's RDD saves. A task sends its ledger
 * by a message where the engine offers a way ({@link io.repave.hadoop.mapreduce.LedgerMessages
 * LedgerMessages}); otherwise it stores the ledger as an object.
 */
package io.repave.hadoop.mapreduce;
