/**
 * The Spark layer: the commit protocol that Spark calls in the driver and in tasks.
 *
 * <p>It uses Spark, the Hadoop layer and the core. It does not use the S3 layer. Its packages:
 * {@code write} and {@code token} (what a statement asks for), {@code check} (statements that are
 * refused), {@code catalog}, {@code plan} (reads from the records), {@code monitor}, {@code
 * command} (the command line and Python), and {@code bridge} (calls of Spark, for the others).
 */
package io.repave.spark;
