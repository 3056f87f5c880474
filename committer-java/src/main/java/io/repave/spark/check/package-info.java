/**
 * Refuses statements that Spark has analyzed, or turns them into a commit, before they change a
 * catalog or delete files that they cannot change as a whole.
 */
package io.repave.spark.check;
