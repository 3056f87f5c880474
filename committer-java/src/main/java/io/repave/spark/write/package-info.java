/**
 * What Spark's plan says about a write: its target, its statement, the folders that it names, its
 * options, and the order of its rows.
 */
package io.repave.spark.write;
