/**
 * The Spark layer: the commit protocol that Spark calls in the driver and in tasks.
 *
 * <p>It uses Spark, the Hadoop layer and the core. It does not use the S3 layer. Its packages:
 * {@code write} and {@code token} (what a statement asks for), {@code catalog}, {@code plan} (reads
 * from the records), {@code monitor}, {@code command} (the command line and Python), and {@code
 * bridge}, which all of them use.
 */
package io.repave.spark;
