/**
 * How Java calls Spark: Scala's classes, what differs between the versions of Spark, and threads
 * that Spark interrupts.
 */
package io.repave.spark.bridge;
